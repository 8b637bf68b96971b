/** Names whose type is plain: what a receiver is can be read off without a compiler. */

import { Engine, createEngine } from './engine.js';
import * as parts from './parts.js';

const fs = require('fs');

const spare = new Engine();
const wheel = new parts.Wheel(4);
const built = createEngine('fast');
const chosen = parts.catalogue.choose();

export class Car {
  spare = new Engine();
  wheels = parts.makeWheels();

  constructor() {
    this.radio = new parts.Radio();
    this.tuner = createEngine();
  }

  async repair(garage) {
    const mended = await garage.repair(this.spare);
    this.spare = await createEngine();
    if (mended instanceof Engine && this.spare instanceof parts.Engine) {
      fs.close(1);
    }
  }
}

const kinds = [class First {}, class Second {}];
customElements.define('a-b', class Element {}, class {});
