#!/usr/bin/env node
'use strict';

/** Not attached to the import. */

import def, { named, other as renamed } from './a.js';
import * as everything from './b.js';
import './side-effect.js';

export { named, renamed as published };
export { one, two as three } from './c.js';
export * from './d.js';
export * as group from './e.js';

/** The most there may be. */
export const MAX_SIZE = 10;

export const options = {
  size: MAX_SIZE,
};

let first = 1,
  // the second
  second = (value) => value * 2;

const [one, , ...others] = everything.list;

/**
 * Adds.
 * @param {number} a
 */
export function add(a, b = 0, ...rest) {
  function inner() {
    var local = a;
    return local + b;
  }
  const half = () => inner() / 2;
  return half;
}

// An ordinary comment is no doc comment.
export async function load(url) {
  const { page } = await import('./page.js');
  return fetch(url, page);
}

export function* count() {
  yield 1;
}

const größe = async function measured() {
  return 1;
};

const memoized = memoize(() => {
  return 1;
});

const tagged = css`
  color: red;
`;

export class Shape extends Base.Inner {
  static #count = 0;
  static points = [
    1,
    2,
  ];
  name;

  handle = (event) => {
    this.#log(event);
  };

  static {
    Shape.#count = 1;
  }

  constructor(name) {
    super();
    this.name = name;
    this.later = function () {};
  }

  get area() {
    return 0;
  }

  set area(value) {}

  /** Draws. */
  static async draw(shape) {
    return new Shape(shape);
  }

  *[Symbol.iterator]() {}

  'quoted name'() {}

  #log(event) {}
}

class Circle extends Mixin(Shape) {}

const Bound = class Named {
  run() {}
};

@decorate({
  list: [
    1,
  ],
})
export class Decorated {
  @bound
  method() {}

  @observed field = 1;
}

const api = {
  data: {
    a: 1,
    b: 2,
  },
  short: true,
  /** Gets. */
  get() {},
  set: function setIt(value) {
    return value;
  },
  post: async (body) => body,
  get size() {
    return 1;
  },
};

for (let index = 0; index < 1; index++) {
  const hidden = 1;
}

export default function () {
  return {
    get lazy() {
      return 1;
    },
    method() {},
  };
}
