import { stories } from '../support/story.ts';

const heads = [
  [429, 'rate limit exceeded'],
  [403, 'rate limit exceeded'],
  [503, 'the service is unavailable (503)'],
].map(
  ([status, message]) => `binds other processes as soon as the head of a ${status} has come
    list! & < ${status} 40 slow 20s => 75
    1s later
    list! => 75; until 40s; sent 0; event {"message":"${message}","outcome":"not_sent"}`,
);

stories(
  'a wait that the service names',
  `
  ${heads.join('\n\n')}

  binds no request with another key
    list! < 429 600 => 75
    PETSTORE_API_KEY=test-key-fedcba9876543210 list! < 200 => sent 1
    list! => 75; sent 0

  binds no request of another service
    list! < 429 600 => 75
    PETSTORE_BASE_URL=http://127.0.0.1:4011/v1 list! < 200 => sent 1
    list! => 75; sent 0

  binds the same service under an address with a slash at its end
    list! < 429 600 => 75
    PETSTORE_BASE_URL=http://127.0.0.1:4010/v1// list! => 75; sent 0

  binds the list of a create by name
    list! < 429 600 => 75
    categories create emu --if-missing --max-wait 0 => 75; sent 0; says Nothing was sent.

  is a floor, whatever less another one names that was in flight with it
    list
    2 x list! < 429 60, 429 5 after 1s => 75
    list! => 75; until 60s; sent 0

  of a 503 is a floor for a 429 that was in flight with it
    list
    2 x list! < 503 60, 429 5 after 1s => 75
    list! => 75; until 60s; sent 0

  ends a window without a reset
    list < 429 2 left 0 limit 60 => at 2s

  ends a window whose reset is far away
    list < 429 2 left 0/60 for 99999h => at 2s

  ends a window whose reset is past
    list < 429 2 left 0/60 for -60s => at 2s
`,
);

const byAnother = [
  ['its Retry-After and its reset', '429 6 left 0/900 for 6s', 6],
  ['its reset alone', '429 left 0/900 for 6s', 6],
  ['its reset, counted on below zero', '429 left -1/900 for 6s', 6],
  ['its reset, where its Retry-After is over before', '429 2 left 0/900 for 6s', 6],
  ['its Retry-After, where its reset is over before', '429 6 left 0/900 for 2s', 6],
  ['a limit of its own', '429 6 left 0/5 for 6s', 6],
  ['no reset', '429 6 left 0 limit 900', 6],
  ['nothing but what is left', '429 6 left 0', 6],
  ['a reset with something left', '403 6 left 3/900 for 2s', 6],
  ['a 503', '503 6 left 0/900 for 6s', 6],
].map(
  ([what, answer, end]) => `ends with ${what}, and leaves the minute as it was
    plan 900/min
    list
    list! < ${answer} => 75; until ${end}s
    limits => json {"items":[{"limit":900,"remaining":899},{}]}
    list => at ${end}s; sent 1`,
);

stories(
  'a refusal by a second limiter inside a known window',
  `
  ${byAnother.join('\n\n')}

  ends before the last request of the minute
    list < left 1/60
    list < 429 6 => at 6s

  ends before a known day
    list < left 9000/10000 for 10h
    list! < 429 600 left 0/10000 for 600s => 75; until 600s

  ends with the minute, if its reset is that
    plan 900/min
    list
    list! < 429 6 left 0/900 => 75; until 60s

  ends with the minute, if it names neither wait nor reset
    plan 900/min
    list
    list! < 429 left 0 => 75; until 60s

  ends after the minute, if it says so
    plan 900/min
    list
    list! < 429 6 left 0/900 for 70s => 75; until 70s
`,
);

const inRow = [
  ['a second', '3 x 429 1', 0, '2 3 300'],
  ['a second', '3 x 429 1', 0.99, '2 4 300'],
  ['a second and a half', '3 x 429 1.5', 0, '3 4 300'],
  ['nothing', '6 x 429', 0, '3 18 63 65 69 300'],
  ['nothing', '6 x 429', 0.99, '3 19 65 69 77 300'],
].map(
  ([told, answers, draw, gaps]) => `that name ${told}, where petstore draws ${draw}
    draw ${draw}
    list --max-wait inf < ${answers} => gaps ${gaps}`,
);

stories(
  '429s in a row are waited out longer and longer',
  `
  ${inRow.join('\n\n')}

  but count as one if they were in flight together
    file pets.csv name a b c d e f g h i j
    import pets.csv
    3 x list < 3 x 429 1 after 1s => sent 6; at 5s

  three, with a 500 between them
    create! a < 429 1 => 75
    10s later
    create! b < 429 1 => 75
    10s later
    create! c < 500, 429 1 => 6; sent 2
    list! => 75; until 380s; sent 0

  three, with a success between them
    create! a < 429 1 => 75
    10s later
    create! b < 429 1 => 75
    10s later
    create! c
    10s later
    create! d < 429 1 => 75
    list! => 75; until 31s; sent 0

  two and a 503
    create! a < 429 1 => 75
    10s later
    create! b < 503 1, 429 1 => 6; sent 2
    list! => 75; until 72s; sent 0
`,
);

stories(
  '--max-wait',
  `
  inf never gives up because of the limit
    list --max-wait inf < 429 1, 403 1, 429 1, 403 1, 429 1 => sent 6

  is for all waits of a request together
    list --max-wait 70s < 429 30, 429 30 => sent 3

  ends a request before one that is too long
    list --max-wait 50s < 429 30, 429 30 => 75; sent 2; at 30s

  is for each row of an import, however many wait before it
    plan 1/min
    file pets.csv name ant bee cat
    import pets.csv --max-wait 70s => json {"counts":{"created":3}}

  is for each row of an import, however long those before it took
    list! < 429 1 => 75
    3s later
    file pets.csv name ant bee cat dog emu
    import pets.csv --max-wait 60s < after 0s, 4 x after 25s, 429 30 => json {"counts":{"created":5}}
`,
);
