import Default, { named, other as renamed, type Kind } from './a';
import * as everything from './b';
import './side-effect';
import legacy = require('./legacy');
import Alias = Namespace.Member;

export { named, renamed as published };
export { one, two as three } from './c';
export * from './d';
export * as group from './e';
export type { Shape } from './f';

const plain = require('./g');
const { part, whole: total } = require('./h');
const member = require('./i').member;

export const lazy = () => import('./j');

export default configure({
  named,
  total,
});

module.exports = { plain, part };
exports.run = function run(): void {};

function configure(options: object): object {
  return options;
}
