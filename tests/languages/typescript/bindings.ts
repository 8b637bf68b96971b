/** Names whose type is plain: what a receiver is can be read off without a compiler. */

import { Engine, createEngine } from './engine';
import * as parts from './parts';

const engine: Engine = createEngine();
const spare = new Engine();
const wheel = new parts.Wheel<number>(4);
const built = createEngine('fast');
const chosen = parts.catalogue.choose();
const cast = JSON.parse('{}') as Engine;
const start = (speed: number): Engine => new Engine(speed);
const { power } = engine;

export class Car<E extends Engine> {
  engine: E;
  spare = new Engine();
  wheels = parts.makeWheels();
  start = async (): Promise<Engine> => this.engine;
  private radio;
  static shared?: Car<Engine>;

  constructor(
    private readonly owner: parts.Owner,
    public seats?: parts.Seat[],
  ) {
    this.radio = new parts.Radio();
    this.radio.tuner = createEngine();
  }

  get motor(): Engine {
    return this.engine;
  }

  async repair(garage: Garage | null): Promise<Engine> {
    const mended = await garage.repair(this.engine);
    const first = await loadEngine();
    this.spare = createEngine();
    if (mended instanceof Engine && first instanceof parts.Engine) {
      mended.start();
    }
    return super.repair(mended);
  }
}

interface Garage {
  readonly owner: parts.Owner;
  repair(engine: Engine): Promise<Engine>;
}

declare function loadEngine(): Promise<Engine>;

const kinds = [class First {}, class Second {}];
customElements.define('a-b', class Element {}, class {});
