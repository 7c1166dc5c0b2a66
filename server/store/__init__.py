"""What a server has written down, and how it is kept: games' logs, chat, names, invites, the secrets of dice.

`contract` says what is asked of whatever keeps games, `durable` waits for it. `sqlite` is the one there is, over `schema`, `reads` and
`group_commit`; `apart` is the process beside, with `appending` and `carrying`. `unmoved` and `soundness` look whether all is there still,
`backups` copies it.
"""
