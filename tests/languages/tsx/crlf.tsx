/** Zählt. */
export const Counter = (
  { start }: { start: number },
) => {
  return <b>{start}</b>;
};

interface State {
  /** Wert */
  value: number;
}