/** What figures were measured on, on which day, and the versions of what petstore is compared with. */
export type Machine = {
  readonly date: string;
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  readonly peers: Readonly<Record<string, string>>;
};
