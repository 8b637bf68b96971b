// Accessors are fields to the grammar, and words of their own.
export class Account {
  /** Attached. */
  @observed accessor balance = 0;

  accessor #größe = 1;

  static accessor count;

  close() {
    this.accessor = 1;
  }
}
