// What the site says of itself: whom to ring when it cannot be reached, and who can be called. The
// number is kept in the browser, since it is needed when nobody answers.

const PHONE = "phone";

/** The number, asked for or remembered, and whether the server answered. */
export async function site() {
  try {
    const reply = await fetch("/console/site");
    if (!reply.ok) throw new Error(String(reply.status));
    const { phone } = await reply.json();
    localStorage.setItem(PHONE, phone);
    return { phone, reached: true };
  } catch {
    return { phone: localStorage.getItem(PHONE) ?? "", reached: false };
  }
}

/** The names of who can be called, first who answers without being named; none without a right token. */
export async function agents(token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const reply = await fetch("/v1/models", { headers }).catch(() => null);
  return reply?.ok ? (await reply.json()).data.map((one) => one.id) : [];
}

/** Lets the page open while the server cannot be reached. */
export function keep() {
  navigator.serviceWorker?.register("/console/offline.js", { scope: "/" }).catch(() => {});
}
