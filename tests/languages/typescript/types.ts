import type * as estree from 'estree';

/** A point. */
export interface Point<T = number> extends Base, estree.Node {
  readonly x: T;
  /** The other one. */
  y?: T;
  'quoted-name': string;
  move(by: Point<T>): void;
  move(dx: T, dy: T): void;
  get length(): number;
  onMove: (event: MouseEvent) => void;
  (scale: number): Point<T>;
  new (x: T, y: T): Point<T>;
  [key: string]: unknown;
  [Symbol.toStringTag]: string;
}

interface Base {}

// An ordinary comment is no doc comment.
export type Options = {
  /** How long to wait. */
  timeout: number;
  retry(times: number): void;
  nested: {
    inner: string;
  };
};

type Id = string | number;

export type Deep<T> =
  T extends Array<infer U>
    ? Deep<U>
    : { readonly [K in keyof T]?: Deep<T[K]> };

type Callback = (error: Error | null, ...rest: Id[]) => asserts error is null;

/** Colours. */
export enum Colour {
  Red,
  /** The best. */
  Green = 'green',
  'Sky Blue' = 1 << 2,
}

declare const enum Flag {
  None = 0,
}

namespace Geometry {
  export const origin: Point = null!;
  export function distance(from: Point, to: Point): number {
    return 0;
  }
  export namespace Inner {
    export class Circle {}
  }
}

namespace Outer.Middle {
  export type Key = keyof typeof Geometry;
}

declare module 'express' {
  interface Request {
    user?: Id;
  }
  export default function express(): Request;
}

declare module '*.svg';

declare global {
  interface Window {
    größe: number;
  }
  var debugMode: boolean;
}

export declare function parse(text: string): estree.Program;

declare class Native {
  constructor(handle: number);
  close(): void;
  readonly handle: number;
}

function local(): void {
  interface Inside {
    a: number;
  }
  type Also = { b: number };
}

const value = {} as Options satisfies object;
const cast = <Id>value.timeout;
