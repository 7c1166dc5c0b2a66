"""The server: store, games, sessions, seats and clocks, discovery.

The modules, by the way of a message:

- off the socket: `router` makes that, `wire` takes in, `endless` ends lines on which too much comes; `security` says who may connect,
  `sessions` who is behind each connection; `limits`: how much of what each may send
- begun when its turn is: `service` holds all together, `turns` says whose is next; `handlers` finds the function that answers: of `lobby`,
  `play`, `table`, `standing`, `chat`, `witness`, `admin`, `arrivals`; `accounts` has the names (`lookalikes`: which are taken for one
  another)
- done in a game: `rooms` has one each, `gathering` an order of it that waits for links, `chains` the server's dice, `settings` what games
  share; `shelf` has all, also those that are not in use, `reading` reads them; `steady` tells the time
- written down: by `store`, a package of its own; `archive` has games as files, `summaries` what a start need not read
- told: `viewers` says who may see what, `spectators` what those see who hold no seat; `publishing` sends it, `greeting` what belongs to it,
  `listing` the lobby's lines, `presence` who is here

Beside that: `running` begins and ends a server, `discovery` lets others find it; `tending` does what games need by themselves, `always`
what goes on for as long as a server runs; `watchdog`, `collecting` and `memory` are for the system it runs on. `faultpoints` are where a
test may kill it, `trials` what tries it out.
"""
