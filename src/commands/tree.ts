/** A verb by its summary. Its file, which exports it under its name, is loaded only when it is called. */
export type Leaf = readonly [summary: string, load: () => Promise<object>];
export type Group = readonly [summary: string, verbs: Readonly<Record<string, Leaf>>];

const petsAndOrders = () => import('./pets-and-orders.ts');
const auth = () => import('./auth.ts');
const config = () => import('./config.ts');
const profile = () => import('./profile.ts');

export const tree: Readonly<Record<string, Readonly<Record<string, Leaf | Group>>>> = {
  'Store:': {
    categories: [
      'List, get, create, import and compare categories',
      {
        list: ['List all categories', () => import('./categories/list.ts')],
        get: ['Show one category, by its id or exact name', () => import('./categories/get.ts')],
        create: ['Create a category', () => import('./categories/create.ts')],
        import: [
          'Create the categories of a file, each name once',
          () => import('./categories/import.ts'),
        ],
        diff: [
          'Compare a file with the categories of the service',
          () => import('./categories/diff.ts'),
        ],
      },
    ],
    pets: [
      'Show a pet (deprecated by the service)',
      { get: ['Show a pet (deprecated by the service)', petsAndOrders] },
    ],
    orders: ['List all orders', { list: ['List all orders', petsAndOrders] }],
  },
  'Account:': {
    auth: [
      'Log in, log out, show the API key in use',
      {
        login: ['Log in with an API key', auth],
        logout: ['Remove the stored API key', auth],
        status: ['Show which API key is used, and where it comes from', auth],
      },
    ],
    profile: [
      'List profiles, and choose the default one',
      {
        list: ['List all profiles, and which one is the default', profile],
        use: ['Make a profile the default one', profile],
      },
    ],
    limits: ['Show what is left of the rate limit', () => import('./limits.ts')],
    config: [
      'Show and change settings',
      {
        list: ['List all settings, and where each one comes from', config],
        get: ['Print the value of a setting', config],
        set: ['Change a setting', config],
        unset: ['Remove a setting', config],
        path: ['Print the path of the settings file', config],
      },
    ],
  },
  'Tools:': {
    api: ['Send any other request to the service', () => import('./api.ts')],
    doctor: ['Check settings, API key, network and rate limit', () => import('./doctor.ts')],
    sandbox: ['Run a copy of the service on this machine', () => import('./sandbox/sandbox.ts')],
    completion: ['Complete commands and options with the Tab key', () => import('./completion.ts')],
  },
};
