"""The connection to a server: one thread, no Qt. Windows and bots use it alike.

What comes takes this way:

- `line` keeps the connection and takes frames off it (`pings`, `unfinished`, `identity`: who we are and whom we know) for
- `games`, which follows games, gets packs (`packs`, `parcel`; `early` keeps what comes before them) and lists (`listed`), and tells of
  them (`notes`); `due` asks again for what was lost, `unnumbered` knows what is refused that has no id, and `dropped` another game under
  the name of one that was known;
- `witnessing` has each game looked at: by `witness` where players witness the dice (`shown`, `kept_back`, `left_out`), else by `watcher`.

What is asked goes from `games`, or `table`, back to the line: signed (`acts`), unless it is refused here (`unsayable`, `offline`).

What an honest server does not do is found by `fouls` in an entry, by `hourglass`, `hours` and `face` in the clocks, by `unanswered` in
orders, by `agreed` in how a game begins, by `seatings` and `namesake` in who sits there, and by `held_to` in what was told and promised
(`promised`, `taken_back`, `told`).
Beside it: `bot_player`, a client without a window; `lan` and `own`, where servers are.
"""
