/** Everything that TypeScript has, TSX has, except casts in angle brackets. */
export abstract class Store<S extends object> implements Source<S> {
  protected constructor(protected readonly initial: S) {}

  abstract reduce(state: S, action: Action): S;

  get state(): S {
    return this.initial;
  }

  static create<S extends object>(initial: S): Store<S>;
  static create(initial: any): any {
    return class extends Store<any> {
      reduced = 0;
      reduce(state: any) {
        return state;
      }
    };
  }
}

export interface Source<S> {
  readonly state: S;
  subscribe?(listener: Listener<S>): () => void;
  [Symbol.iterator](): Iterator<S>;
}

type Listener<S> = (state: S) => void;

export type Action = {
  type: Kind;
};

export const enum Kind {
  Add = 'add',
  Remove = 'remove',
}

declare global {
  interface Window {
    store: Store<object>;
  }
}

namespace Helpers.Deep {
  export const identity = <T extends unknown>(value: T): T => value;
}

function overloaded(value: string): string;
function overloaded(value: number): number;
function overloaded(value: any) {
  return value as unknown satisfies unknown;
}

export default () => {
  return overloaded('');
};
