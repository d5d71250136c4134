import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The oldest version of Node that petstore runs on: "20.19". */
export const oldestNode: string = manifest.engines.node.replace('>=', '');
