// undici's channels, without listeners: NODE_DEBUG=undici would print messages of its own channels.
const silent = { hasSubscribers: false };
exports.channels = new Proxy({}, { get: () => silent });
