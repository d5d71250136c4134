/** User and password of an address as they were meant; undefined where their percent-encoding is invalid. */
export function credentialsOf({ username, password }: URL) {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
