/**
 * Functions, classes and their members. The first comment of a file belongs to nothing when a
 * blank line follows it.
 */

import { EventEmitter } from 'node:events';
import type { Logger, Level as LogLevel } from './logging';

/** The most attempts there may be. */
export const MAX_ATTEMPTS = 3;

export const defaults = {
  attempts: MAX_ATTEMPTS,
  delay: 100,
} as const;

const levels: LogLevel[] = [
  'debug',
  'info',
];

let first = 1,
  second = (value: number): number => value * 2;

const { delay, attempts: tries = 1 } = defaults;

/** Attached, though an ordinary comment stands between. */
// eslint-disable-next-line no-console
export function greet(name: string): string;
export function greet(name: string, times: number): string;
export function greet(
  name: string,
  times = 1,
  { loud = false }: { loud?: boolean } = {},
): string {
  function repeat(text: string): string {
    const local = text.repeat(times);
    return local;
  }
  const shout = (text: string) => text.toUpperCase();
  return repeat(loud ? shout(name) : name);
}

/** Not attached: a blank line follows. */

export async function* numbers(): AsyncGenerator<number> {
  yield 1;
}

export const twice = <T>(value: T): [T, T] => [value, value];

const pause = async function pauseFor(milliseconds: number): Promise<void> {
  await new Promise((done) => setTimeout(done, milliseconds));
};

const retry = wrap(async () => {
  await pause(delay);
});

const handlers = {
  settings: {
    retries: 3,
    verbose: true,
  },
  name: 'handlers',
  /** A method of an object. */
  onOpen(event: Event) {
    return event.type;
  },
  onClose: (event: Event) => event.type,
  'on-error': function (event: Event) {
    throw event;
  },
  get size() {
    return 3;
  },
};

function wrap<T extends () => Promise<void>>(action: T): T {
  return action;
}

function sealed(target: Function): void {}

function Input(): PropertyDecorator {
  return () => {};
}

/** A service. */
@sealed
export abstract class Service<T extends object = {}>
  extends EventEmitter
  implements Disposable, Comparable<Service<T>>
{
  static readonly version: string = '1.0';
  static #instances = 0;
  declare brand: 'service';
  größe?: number;

  @Input()
  label!: string;

  private cache = new Map<string, T>([
    ['a', null!],
    ['b', null!],
  ]);

  /** A field that is a function. */
  handle = async (event: Event): Promise<void> => {
    await this.open(event.type);
  };

  static {
    Service.#instances = 0;
  }

  constructor(name: string);
  constructor(
    private readonly name: string,
    public logger?: Logger,
    attempts = 3,
  ) {
    super();
    this.logger?.info(name, attempts);
  }

  get instances(): number {
    return Service.#instances;
  }

  /** Sets them. */
  set instances(value: number) {
    Service.#instances = value;
  }

  abstract open(path: string): Promise<T>;

  protected abstract get state(): string;

  find(id: string): T;
  find(id: number): T;
  @deprecated
  find(@Inject() id: any): T {
    return this.cache.get(String(id))!;
  }

  *[Symbol.iterator](): Iterator<T> {
    yield* this.cache.values();
  }

  #secret(): void {}

  [key: string]: unknown;
}

export default class extends Service<Item> {
  async open() {
    return new Item();
  }
}

class Item {}

function Mixin<B extends new (...args: any[]) => object>(Base: B) {
  return class extends Base {
    mixed = true;
    blend() {}
  };
}

const Bound = class Named extends Mixin(Item) {
  only = 1;
};

(function setUp() {
  register(function onReady() {});
})();

if (process.env.DEBUG) {
  const hidden = 1;
  function debug(): void {
    console.log(hidden);
  }
}
