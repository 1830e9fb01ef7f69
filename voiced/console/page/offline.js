// Keeps the page in the browser, so that it opens while the server cannot be reached and can say whom
// to ring instead. The server's own files come first whenever it answers.

const KEPT = "page";
const PATIENCE_MS = 3000;
const FILES = [
  "/",
  "/console/call.js",
  "/console/captions.js",
  "/console/choices.js",
  "/console/console.js",
  "/console/icon.svg",
  "/console/level.js",
  "/console/site.js",
  "/console/style.css",
  "/console/waterfall.js",
  "/console/wire.js",
  "/console/words.js",
  "/console/worklet.js",
];

async function fetched(request) {
  const cache = await caches.open(KEPT);
  try {
    const reply = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (reply.ok) await cache.put(new URL(request.url).pathname, reply.clone());
    return reply;
  } catch {
    return (await cache.match(request, { ignoreSearch: true })) ?? Response.error();
  }
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FILES)));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (FILES.includes(new URL(event.request.url).pathname)) event.respondWith(fetched(event.request));
});
