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

const { first, second: { third = 1, fourth: fifth, ...others }, sixth: [seventh], eighth: { ninth } = {} } = nested;

const [{ tenth }, [eleventh]] = lists;
