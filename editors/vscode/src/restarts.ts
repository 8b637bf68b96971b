/** How often, and after what time, a server that crashed is started again. */

const DELAYS = [100, 500, 2000, 5000];
const FORGOTTEN_MILLISECONDS = 3 * 60 * 1000;

export class Restarts {
  private times: number[] = [];

  /** How long to wait before the next start; undefined where it crashed too often lately. */
  next(now: number): number | undefined {
    this.times = this.times.filter((time) => now - time < FORGOTTEN_MILLISECONDS);
    const delay = DELAYS[this.times.length];
    this.times.push(now);
    return delay;
  }

  forget(): void {
    this.times = [];
  }
}
