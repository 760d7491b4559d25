"use strict";
// All prices are whole numbers, which add up exactly; tables are looked up at the next loss above.
const facts = JSON.parse(document.getElementById("facts").textContent);
const asked = facts.questions.map((q) => ({ ...q, widths: q.widths.map(Number), locked: false }));
const by = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const HARDLY = 50; // true yes in 100, from which on nobody is protected
const STEPS = 1000;

function made(name, attributes, text) {
  const one = document.createElementNS(name === "svg" || attributes.svg ? SVG : "http://www.w3.org/1999/xhtml", name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "svg") one.setAttribute(key, value);
  if (text !== undefined) one.textContent = text;
  return one;
}

function few(number) {
  return Number(number.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

// Prices

function price(places) {
  return asked.reduce((sum, q, n) => sum + q.prices[places[n]], 0);
}

const places = () => asked.map((q) => q.at);

function above(total) {
  let low = 0, high = facts.losses.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (facts.losses[middle] >= total) high = middle; else low = middle + 1;
  }
  return low;
}

function lossText(total) {
  const size = total / facts.parts, unit = 10 ** Math.max(0, 3 - Math.floor(Math.log10(size)));
  const digits = Math.ceil(size * unit) / unit; // up: no loss is shown below its own
  return `${facts.loss} = ${digits}`;
}

function epsilonOf(total) {
  const chosen = by("delta").value;
  return chosen ? facts.epsilons[chosen][above(total)] : "";
}

// The largest error of a question that is at most a wanted width; the least if there is none.
function placeOf(q, width) {
  let low = 0, high = q.widths.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (q.widths[middle] <= width * (1 + 1e-9)) low = middle; else high = middle - 1;
  }
  return low;
}

// All errors that are not locked, times one factor: the least one whose price fits.
function scaled(target, start) {
  const at = (factor) => asked.map((q, n) => (q.locked ? q.at : placeOf(q, q.widths[start[n]] * factor)));
  let low = -7, high = 7; // powers of 2
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (price(at(2 ** middle)) <= target) high = middle; else low = middle;
  }
  return at(2 ** high);
}

const START = places();
const ENDS = [price(asked.map((q) => q.widths.length - 1)), price(asked.map(() => 0))];

function targetOf(value) {
  return ENDS[0] * (ENDS[1] / ENDS[0]) ** (value / STEPS);
}

function valueOf(total) {
  return Math.round(STEPS * Math.log(total / ENDS[0]) / Math.log(ENDS[1] / ENDS[0]) || 0);
}

// Words

function widthText(q, place) {
  return `±${few(q.widths[place])}` + (q.of ? ` ${q.of}` : "") + (q.rows ? ` at ${q.rows.toLocaleString("en-US")} rows` : "");
}

function advice(total) {
  const most = asked.reduce((best, q) => (q.prices[q.at] > best.prices[best.at] ? q : best), asked[0]);
  const share = Math.round(100 * most.prices[most.at] / total);
  const wider = placeOf(most, 1.5 * most.widths[most.at]);
  if (asked.length < 2 || wider === most.at) return `${share} % of the loss is ${most.label}.`;
  const less = total - most.prices[most.at] + most.prices[wider];
  return `${share} % of the loss is ${most.label}. With ${widthText(most, wider)} the plan costs ${said(less)}.`;
}

function said(total) {
  const epsilon = epsilonOf(total);
  return epsilon ? `epsilon ${epsilon} at delta ${by("delta").value}` : lossText(total);
}

// What a plan takes from what is left: a number of the ledger's kind, or nothing where it has none.
function taken(left, total) {
  const size = total / facts.parts;
  if (left.kind === facts.kind) return [facts.loss, size];
  if (left.kind === "purses" && facts.kind === "gdp") return ["mu2", size];
  if (left.kind === "purses" && facts.kind === "pure") return ["pure", size];
  if (left.kind === "approx" && facts.kind === "pure") return ["epsilon", size];
  const fits = left.kind === "approx" && Number(by("delta").value) <= number(left.delta);
  return fits ? ["epsilon", Number(epsilonOf(total))] : null;
}

function ledger(total) {
  if (!facts.left) return null;
  const found = taken(facts.left, total);
  if (!found) return ["not comparable", "it adds another kind of loss, or a smaller delta: ask discreet plan"];
  const [name, spent] = found, before = number(facts.left[name]);
  return [spent > before ? "does not fit" : `${name} ${few(before - spent)} after`, `${name} ${few(before)} before`];
}

function number(text) {
  const [top, bottom] = text.split("/").map(Number);
  return bottom ? top / bottom : top;
}

// What is shown

function told(id, head, rest) {
  by(id).replaceChildren(made("strong", {}, head), document.createTextNode(rest));
}

function show() {
  const total = price(places());
  const epsilon = epsilonOf(total), yes = facts.yes[above(total)];
  if (epsilon) told("loss-now", `epsilon ${epsilon}`, `at delta ${by("delta").value}; ${lossText(total)}`);
  else told("loss-now", lossText(total), "no delta");
  told("yes-now", `at most ${yes} in 100`, "is found by a guesser who is wrong about 1 in 100 others");
  const book = ledger(total);
  by("ledger").hidden = !book;
  if (book) told("left-now", ...book);
  by("alarm").hidden = Number(yes) < HARDLY;
  by("whole").value = valueOf(total);
  by("whole").setAttribute("aria-valuetext", said(total));
  asked.forEach((q) => {
    q.slider.value = q.at;
    q.slider.setAttribute("aria-valuetext", widthText(q, q.at));
    q.width.textContent = widthText(q, q.at);
    q.share.textContent = `${Math.round(100 * q.prices[q.at] / total)} %`;
  });
  by("advice").textContent = advice(total);
  by("toml").textContent = toml(total);
  by("python").textContent = python(total);
  curve(total);
  draw();
}

function typed(q) {
  return q.typed[q.at];
}

function toml() {
  const parts = asked.map((q) => ["[[ask]]", ...q.toml, `within = ${JSON.stringify(typed(q))}`].join("\n"));
  const chosen = by("delta").value;
  const spend = ["[spend]", chosen ? `delta = ${JSON.stringify(chosen)}` : `kind = ${JSON.stringify(facts.kind)}`];
  const whole = facts.together ? ["together = true  # above the first [part]"] : [];
  return [...whole, spend.join("\n"), ...parts].join("\n\n");
}

function python() {
  const chosen = by("delta").value;
  const terms = chosen ? `delta=${JSON.stringify(chosen)}` : `kind=${JSON.stringify(facts.kind)}`;
  const parts = asked.map((q) => {
    const comma = q.python.endsWith("(") ? "" : ", ";
    return `    ${q.python}${comma}within=${JSON.stringify(typed(q))}),`;
  });
  return ["plan = discreet.plan(", "    table,", ...parts, `    ${terms}${facts.together ? ", together=True" : ""},`, ")"].join("\n");
}

// Pictures

function curve(total) {
  const q = asked[Number(by("which").value)];
  const rest = total - q.prices[q.at];
  const numbers = q.prices.map((one) => Number(by("delta").value ? epsilonOf(rest + one) : (rest + one) / facts.parts));
  const [left, right, top, bottom] = [50, 590, 15, 185];
  const logs = q.widths.map((width) => Math.log(Math.max(width, 1e-12)));
  const from = logs.find((value) => value > -20) ?? 0, to = logs[logs.length - 1];
  const x = (place) => left + (right - left) * Math.max(0, (logs[place] - from) / (to - from || 1));
  const most = Math.log(Math.max(...numbers)), least = Math.log(Math.max(Math.min(...numbers), 1e-12));
  const y = (value) => bottom - (bottom - top) * (Math.log(Math.max(value, 1e-12)) - least) / (most - least || 1);
  const line = numbers.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const last = q.widths.length - 1;
  by("curve").replaceChildren(
    made("line", { svg: 1, class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    made("line", { svg: 1, class: "axis", x1: left, x2: left, y1: top, y2: bottom }),
    made("polyline", { svg: 1, class: "graph", points: line }),
    made("circle", { svg: 1, class: "spot", r: 6, cx: x(q.at), cy: y(numbers[q.at]) }),
    made("text", { svg: 1, x: left, y: 205 }, `±${few(q.widths[0])}`),
    made("text", { svg: 1, x: right, y: 205, "text-anchor": "end" }, `±${few(q.widths[last])}`),
    made("text", { svg: 1, x: 0, y: bottom }, few(numbers[last])),
    made("text", { svg: 1, x: 0, y: top + 8 }, few(numbers[0])),
  );
  const name = by("delta").value ? "epsilon" : facts.loss;
  by("curve-told").textContent = `${name} of the whole plan, from ${few(numbers[0])} at ±${few(q.widths[0])} to ${few(numbers[last])} at ±${few(q.widths[last])} of ${q.label}; now ${few(numbers[q.at])} at ±${few(q.widths[q.at])}.`;
}

let luck = [];

// For the picture alone: this chance protects nobody, and nothing of it is released.
function drawLuck() {
  luck = Array.from({ length: 12 }, () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random()));
}

function draw() {
  const q = asked[Number(by("which").value)];
  const own = q.widths[START[Number(by("which").value)]] || 1, now = q.widths[q.at];
  const truths = luck.map((_, n) => 8 * own * (1 + Math.sin(n * 1.7)) / 2);
  const top = Math.max(...truths) + 3 * own, least = -3 * own;
  const y = (value) => 150 - 140 * (Math.min(Math.max(value, least), top) - least) / (top - least);
  const parts = truths.flatMap((truth, n) => {
    const x = 30 + 48 * n, value = truth + luck[n] * now / 1.96;
    return [
      made("line", { svg: 1, class: "truth", x1: x - 12, x2: x + 12, y1: y(truth), y2: y(truth) }),
      made("line", { svg: 1, class: "bar", x1: x, x2: x, y1: y(value - now), y2: y(value + now) }),
      made("circle", { svg: 1, class: "spot", r: 4, cx: x, cy: y(value) }),
    ];
  });
  by("drawn").replaceChildren(...parts);
  by("drawn-told").textContent = `Twelve made-up numbers of ${q.label}: lines are true, dots are released, bars reach ±${few(now)}. Drawn in this page, from no data.`;
}

// Hands

function copied(text) {
  by("copied").textContent = text;
}

function copy(id) {
  const range = document.createRange();
  range.selectNodeContents(by(id));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  copied(document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl+C.");
}

function question(q, n) {
  const set = made("fieldset", {});
  const row = made("div", { class: "row" });
  q.slider = made("input", { type: "range", min: 0, max: q.widths.length - 1, step: 1, id: `error-${n}`, "aria-label": "wanted error" });
  q.width = made("output", { for: `error-${n}`, class: "wide" });
  q.share = made("span", { class: "share" });
  const lock = made("input", { type: "checkbox", id: `lock-${n}` });
  const label = made("label", { for: `lock-${n}` }, "locked");
  q.slider.addEventListener("input", () => { q.at = Number(q.slider.value); by("which").value = n; show(); });
  lock.addEventListener("change", () => { q.locked = lock.checked; });
  row.append(q.width, q.slider, q.share, made("span", {}, ""));
  row.lastChild.append(lock, " ", label);
  set.append(made("legend", {}, q.label), row);
  by("questions").append(set);
  by("which").append(made("option", { value: n }, q.label));
}

function start() {
  asked.forEach(question);
  const chances = Object.keys(facts.epsilons);
  chances.forEach((delta) => by("delta").append(made("option", { value: delta }, delta)));
  by("delta").hidden = by("delta-label").hidden = chances.length === 0;
  by("whole").addEventListener("input", () => {
    scaled(targetOf(Number(by("whole").value)), START).forEach((place, n) => { asked[n].at = place; });
    const wanted = by("whole").value;
    show();
    by("whole").value = wanted; // the slider stays where the hand is
  });
  by("delta").addEventListener("change", show);
  by("which").addEventListener("change", show);
  by("again").addEventListener("click", () => { drawLuck(); draw(); });
  document.querySelectorAll("[data-copy]").forEach((one) => one.addEventListener("click", () => copy(one.dataset.copy)));
  drawLuck();
  show();
}

start();
