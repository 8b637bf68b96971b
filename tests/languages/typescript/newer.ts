// What the grammar cannot read, and what is read in its place.

export type Configured = import('./config').Config<string>;

type Keys = keyof import('./config');

interface Channel<in Input, out Output> {
  send(value: Input): Output;
}

export class Invariant<in out T> implements Channel<T, T> {
  static accessor größe = 1;

  abstract accessor last: T;

  send(value: T): T {
    return value;
  }
}

const query = gql<Data, Variables>`query { a }`;

const Box = styled.div<{
  wide: boolean;
}>`
  width: ${(props) => (props.wide ? 2 : 1)};
`;

const { first, second: { third = 1, fourth: fifth, ...others }, sixth: [seventh], eighth: { ninth } = {} } = nested;

const [{ tenth }, [eleventh]] = lists;
