import { stories } from '../support/story.ts';

stories(
  'the last request of a window',
  `
  is spent if its response was lost
    list! < left 1/60
    list! < cut => 75; sent 1

  of a day ends an import, which goes on the next day
    plan 60/min 15/day
    file pets.csv name ${pets(22)}
    import pets.csv => 75; says Run the same command again at 2026-11-21T15:04:0; event {"kind":"rate_limited","message":"8 rows left: rate limit reached: 15 requests per day"}
    24h later
    1m later
    import pets.csv => sent 10; json {"counts":{"created":8,"existing":14}}

  is left if it never left
    list! < left 1/60
    list! < refused => sent 2

  without a Date is the last until the clock of the machine says so
    list! < left 0/60 for 30s no date
    list! => 75; until 30s; sent 0

  of a day is the last also in its last minute, and the next day begins
    plan 60/min 3/day
    list!
    1439m later
    list!
    list!
    list! => 75; until 24h; sent 0; says A higher plan allows more; event {"message":"rate limit reached: 3 requests per day","outcome":"not_sent"}
    62s later
    list!
`,
);

stories(
  'requests in flight',
  `
  are waited for, also with --max-wait 0, for two seconds
    list & < after 1.5s
    list! => waits none

  are not waited for any longer with --max-wait 0
    list & < after 20s
    list! => 75; waits none

  are told as the reason of a wait for them
    list & < after 20s
    list => waits probe

  are three at most in the first window that is known
    plan 60/min
    list
    each after 2s
    8 x list => flying 3

  are more with each response, where a minute allows many up to sixteen
    plan 1000/min
    file pets.csv name ${pets(200)}
    each after 0.1s
    import pets.csv => flying 16

  are a third of what is left at most
    plan 40/min
    file pets.csv name ${pets(36)}
    each after 0.1s
    import pets.csv => flying 4

  stay one at a time where no response names a limit
    list < 200
    each 200 after 2s
    4 x list => flying 1

  begin with one after a reset
    list
    62s later
    each after 2s
    3 x list => gaps 62 3 0

  go one at a time again after a 429
    list
    list < 429 1 left 39/60
    each after 2s
    3 x list => flying 1

  are a second apart after a 429 that nothing had foretold, for a minute
    list < 429 => gaps 3
    list => gaps 1
    list => gaps 1
    60s later
    list => gaps 60
    list => gaps 0
`,
);

stories(
  'what is remembered',
  `
  is nothing where a file is in the place of the state folder, which one notice says
    PETSTORE_STATE_DIR=/dev/null/x list! => notices 1; says is not shared with other petstore processes

  a request of the day whose response was lost counts
    list < cut => sent 2
    limits => json {"items":[{},{"used":2}]}

  a request of the day that was refused does not count
    list < 429 1 => sent 2
    limits => json {"items":[{},{"used":1}]}

  our own requests of the day are counted anew a day after the first
    list
    1h later
    list
    2h later
    list
    limits => json {"items":[{},{"used":3}]}
    25h later
    list
    limits => json {"items":[{},{"used":1}]}

  limits --reset forgets windows and waits
    list! < 429 900 left 0/60 => 75
    limits --reset
    list! => sent 1

  limits --reset does not forget a request in flight
    list & < after 20s
    1s later
    limits => json {"inFlight":1,"wait":null}
    limits --reset
    limits => json {"inFlight":1,"wait":null}
    20s later
    limits => json {"inFlight":0,"items":[{"remaining":59},{}]}
`,
);

stories(
  'the event of a wait',
  `
  names the minute, its limit and its end
    list < left 0/60
    list => until 60s; event {"event":"wait","reason":"window","limit":60,"remaining":0}

  names the day, its limit and its end
    list < left 0/1000 for 130s
    list --max-wait 3m => until 130s; event {"event":"wait","reason":"day","limit":1000,"remaining":0}
`,
);

function pets(count: number): string {
  return Array.from({ length: count }, (_, n) => `pet-${n}`).join(' ');
}
