// One leg over the last hour as a small picture: p50 and p95 of each minute, and the budget. It asks
// for nothing.

import { say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 240;
const HIGH = 64;
const MINUTES = 60;

/** A figure for what a leg took; `budget` may be missing. */
export function plot(name, { p50, p95, minutes }, budget) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const title = document.createElement("b");
  title.textContent = say(name);
  const figures = document.createElement("span");
  figures.textContent = `p50 ${Math.round(p50)} · p95 ${Math.round(p95)} ms`;
  if (budget !== undefined && p95 > budget) figures.className = "over";
  caption.append(title, figures);
  figure.append(caption, picture(minutes, budget));
  return figure;
}

function picture(minutes, budget) {
  const top = 1.1 * Math.max(budget ?? 0, ...minutes.map(([, , p95]) => p95), 1);
  const at = ([ago], value) => [WIDE * (1 - ago / (MINUTES - 1)), HIGH * (1 - value / top)];
  const svg = element("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true", class: "plot" });
  if (budget !== undefined) {
    const y = HIGH * (1 - budget / top);
    svg.append(element("line", { x1: 0, x2: WIDE, y1: y, y2: y, class: "budget" }));
  }
  svg.append(...line(minutes, (one) => at(one, one[2]), "p95"), ...line(minutes, (one) => at(one, one[1]), "p50"));
  return svg;
}

/** A line through the minutes that had turns, and a dot for each. */
function line(minutes, where, kind) {
  const points = minutes.map(where);
  const dots = points.map(([cx, cy]) => element("circle", { cx, cy, r: 2, class: kind }));
  return [element("polyline", { points: points.map((one) => one.join(",")).join(" "), class: kind }), ...dots];
}

function element(name, attributes) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  return one;
}
