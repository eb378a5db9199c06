import type { Usage } from './usage-form.ts'

/** `genrun serve` as data. */
export const serveUsage: Usage = {
  name: 'serve',
  says: 'the embedded gateway on a port; it makes placeholders',
  examples: [
    ['genrun serve', 'this machine only'],
    ['GENRUN_API_KEY=abc123 genrun serve --port 80', 'your own key and port'],
    ['genrun serve --outputs ./served', 'keep what was made'],
    ['genrun serve --fault lose --ledger', 'answers get lost, and counted'],
    ['genrun serve --backend local.yaml', 'your own generators behind it'],
  ],
  options: [
    { flags: '--port <port>', says: 'the port (4040); 0 takes a free one', takes: 'port' },
    { flags: '--host <address>', says: 'the address to listen on (127.0.0.1)' },
    { flags: '--outputs <folder>', says: 'keep results here instead of in memory' },
    { flags: '--max-store <size>', says: 'keep at most so much, for instance 500MB (2GB)' },
    {
      flags: '--format <format>',
      says: 'of images: png, jpeg or webp (png)',
      values: ['png', 'jpeg', 'webp'],
    },
    { flags: '--link-seconds <seconds>', says: 'links to files expire after so long' },
    { flags: '--result-seconds <s>', says: 'results expire so long after the end' },
    { flags: '--fault <faults>', says: 'faults: delay=~300, lose first=1' },
    { flags: '--ledger', says: 'count paid requests at /__ledger' },
    { flags: '--prices <file>', says: 'tell what runs cost, as credits' },
    { flags: '--catalog <file>', says: 'serve the models that it declares, too' },
    { flags: '--backend <file>', says: 'models and the commands that make their files' },
    { flags: '--backend-seconds <s>', says: 'end a command that takes longer (600)' },
    { flags: '--no-color', says: 'no colours; NO_COLOR and FORCE_COLOR work too' },
  ],
  notes: [
    'Clients must send the key of GENRUN_API_KEY (or GENRUN_API_KEY_FILE); without',
    'it a random one is made and printed. A page for people is at /.',
    '',
    'Faults are divided by commas and take chance=, first=, tries=, on= and model=:',
    'delay refuse spoil lose reset cut clip drip html expire short reject fail',
    'stall.',
    '',
    'A backend is YAML, famc-v3: ./film.sh; the command gets the order as JSON on',
    'stdin, files as paths, and leaves its own in the folder that `outputs` names.',
  ],
}
