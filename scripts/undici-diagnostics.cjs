// undici's channels, to which nothing listens. NODE_DEBUG=undici prints what it sends to its own.
const silent = { hasSubscribers: false };
exports.channels = new Proxy({}, { get: () => silent });
