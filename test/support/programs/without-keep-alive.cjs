// Wine refuses to connect a socket with keep-alive, which undici asks for.
require('node:net').Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};
