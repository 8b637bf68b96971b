/** Größe. */
export class Box<T> {
  /** What is in it. */
  private item: T;

  open(
    force: boolean,
  ): T {
    return this.item; // ✓
  }
}

export const empty = () => {
  return new Box<null>();
};