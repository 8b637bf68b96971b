'use client';

import React, { memo, useState, type ReactNode } from 'react';
import * as Icons from './icons';

type Props<T> = {
  items: T[];
  /** Draws one item. */
  render: (item: T) => ReactNode;
};

/** A list of anything. */
export function List<T>({ items, render }: Props<T>): JSX.Element {
  const [open, setOpen] = useState(false);
  const toggle = () => setOpen(!open);
  return (
    <ul onClick={toggle}>
      {items.map((item) => (
        <li>{render(item)}</li>
      ))}
      <Icons.Arrow größe={1} />
    </ul>
  );
}

export const Title = ({ children }: { children: ReactNode }) => <h1>{children}</h1>;

const Generic = <T,>(props: Props<T>) => {
  function inner() {
    return <List {...props} />;
  }
  return inner();
};

/** A variable: what it is bound to is the result of a call. */
const Cached = memo(({ name }: { name: string }) => {
  return <Title>{name}</Title>;
});

const Named = memo(function NamedInside(props: Props<string>) {
  return <Generic<string> {...props} />;
});

const element = (
  <Cached name="a" />
);

const routes = [
  { path: '/', element: <Title>Home</Title> },
  {
    path: '/about',
    loader: async () => import('./about'),
  },
];

/** A component with a state. */
@observer
export default class Panel extends React.Component<Props<string>, { open: boolean }> {
  static defaultProps = {
    items: [],
  };

  state = { open: false };

  private handleClick = (event: React.MouseEvent): void => {
    this.setState({ open: true });
  };

  render() {
    const { open } = this.state;
    return (
      <>
        <button onClick={this.handleClick}>✓</button>
        {open && <Named {...this.props} />}
      </>
    );
  }
}

function observer(target: Function, context?: unknown): void {}
