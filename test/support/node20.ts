// nock's interceptors are written for Node 22; this one function is all that Node 20 lacks for them.
type Resolvers = { promise: Promise<unknown>; resolve: unknown; reject: unknown };

const missing = {
  withResolvers(): Resolvers {
    const resolvers = {} as Resolvers;
    resolvers.promise = new Promise((resolve, reject) =>
      Object.assign(resolvers, { resolve, reject }),
    );
    return resolvers;
  },
};
if (!('withResolvers' in Promise)) Object.assign(Promise, missing);
