/** A reason not to use a file or folder of ours, although the system would allow it. `fix` is a command or a sentence. */
export class FileFault extends Error {
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}
