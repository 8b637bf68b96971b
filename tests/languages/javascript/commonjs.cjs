'use strict';

const fs = require('node:fs');
const { join, resolve: absolute } = require('node:path'),
  debug = require('debug')('app');
const parse = require('./parser').parse;
require('./polyfill');

/** An application. */
function App(name) {
  this.name = name;
  this.close = function () {
    fs.closeSync(0);
  };
}

/** Starts it. */
App.prototype.start = function start(port) {
  listen(function onListening() {
    debug(port);
  });
};

App.prototype.stop = App.prototype.halt = function () {};

App.create = (name) => new App(name);

App.Router = class extends App {
  route() {}
};

Legacy.prototype = {
  constructor: Legacy,
  old: function () {},
  get age() {
    return 1;
  },
};

function Legacy() {}

(function (root, factory) {
  root.app = factory();
})(this, function () {
  var hidden = 1;

  function visible() {
    return hidden;
  }

  return visible;
});

exports.run = function (task) {
  return parse(task);
};

module.exports.walk = async (path) => join(path);

exports.App = App;

module.exports = function main() {
  // ✓
};
