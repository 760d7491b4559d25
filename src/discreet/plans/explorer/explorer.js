// Prices that add up are whole numbers; tables are looked up at the next loss above. In (epsilon,
// delta) prices do not add up: the account is above.
"use strict";
const facts = JSON.parse(document.getElementById("facts").textContent);
const inDelta = facts.kind === "approx";
const asked = facts.questions.map((q) => ({ ...q, widths: q.widths.map(Number), noise: q.noise?.map((one) => one.map(noiseOf)), locked: false }));
const blocks = facts.blocks.map((one) => ({ ...one, factors: one.factors.map(Number), rooms: one.rooms.map((all) => all.map(Number)) }));
const by = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const HARDLY = 50; // true yes in 100, from which on nobody is protected
const STEPS = 1000;
const FACTORS = inDelta ? 12 : 40; // halvings, of powers of 2 from -7 to 7
const KEPT = 5000; // bills that are remembered
const CURVE = 24; // places of a curve that is no table
const SLICE = 6; // ms: so long a picture is worked at before keys are heard

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

function noiseOf(told) {
  const [mu2, rho, pure, own, ...rates] = told.map(Number);
  const noise = rates.filter((_, n) => n % 2 === 0).map((rate, n) => [rate, rates[2 * n + 1]]);
  return { mu2, rho, pure, own, noise };
}

const chosenDelta = () => (facts.deltas.length ? by("delta").value : "");

// What questions cost in all, and each of them: in parts of a loss that adds up, or as epsilon.
const bills = new Map();
function bill(places) {
  const key = `${chosenDelta()} ${places}`;
  if (bills.size > KEPT) bills.clear();
  if (!bills.has(key)) bills.set(key, inDelta ? epsilonBill(places) : sumBill(places));
  return bills.get(key);
}

function sumBill(places) {
  const sizes = asked.map((q, n) => q.prices[places[n]]), shared = [];
  blocks.forEach((block) => {
    const apart = block.places.reduce((whole, n) => whole + sizes[n], 0);
    const part = partOf(block, places, block.factors[0] * facts.parts, apart);
    block.places.forEach((n) => { sizes[n] = Math.ceil(sizes[n] * part); });
    if (part < 1) shared.push([block, part]);
  });
  return { total: sizes.reduce((sum, one) => sum + one, 0), sizes, shared };
}

function epsilonBill(places) {
  const found = asked.map((q, n) => ({ gaussian: q.noise[places[n]][0], laplace: q.noise[places[n]][1] }));
  const shared = inBlocks(found, places);
  const delta = chosenDelta(), alone = asked[0].alone?.[delta][places[0]];
  const { epsilon, noise } = leastEpsilon(found, Number(delta), alone && Number(alone));
  const isPure = noise.every((one, n) => one === found[n].laplace), mu2 = sum(noise, "own");
  const each = isPure || !mu2 ? 1 : epsilonOfGaussian(mu2, Number(delta)) / mu2;
  const sizes = noise.map((one) => (one.own ? (one.size ?? one.own) * each : one.size ? one.size * each : one.pure));
  return { total: epsilon, sizes, noise, isPure, shared: isPure ? [] : shared };
}

// Gaussian noise of one vector stands at the first of its questions; its size is divided as apart.
function inBlocks(found, places) {
  return blocks.flatMap((block) => {
    const mine = block.places.map((n) => found[n].gaussian), apart = sum(mine, "mu2");
    const part = partOf(block, places, block.factors[0], apart);
    if (part === 1) return [];
    const rho = part * apart / block.factors[0] * block.factors[1];
    block.places.forEach((n, at) => {
      const own = at === 0 ? part * apart : 0;
      found[n].fixed = true;
      found[n].gaussian = { mu2: own, rho: at === 0 ? rho : 0, pure: 0, own, noise: [], size: mine[at].mu2 * part };
    });
    return [[block, part]];
  });
}

const price = (places) => bill(places).total;

const places = () => asked.map((q) => q.at);

function above(total) {
  let low = 0, high = facts.losses.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (facts.losses[middle] >= total) high = middle; else low = middle + 1;
  }
  return low;
}

// A number in a few digits, up: no loss is shown below its own.
function upText(size, digits = 4) {
  const unit = 10 ** (digits - 1 - Math.floor(Math.log10(size)));
  return String(Number((Math.ceil(size * unit * (1 - 1e-15)) / unit).toPrecision(digits)));
}

const lossText = (total) => `${facts.loss} = ${upText(inDelta ? total : total / facts.parts)}`;

function epsilonOf(total) {
  const chosen = chosenDelta();
  if (inDelta) return upText(total);
  return chosen ? facts.epsilons[chosen][above(total)] : "";
}

// Of a guesser who is wrong about 1 in 100 others: how many true yes in 100, at most.
function trueYes(found) {
  if (!inDelta) return facts.yes[above(found.total)];
  const delta = found.isPure ? 0 : Number(chosenDelta()), grown = Math.exp(found.total);
  const most = Math.min(0.01 * grown + delta, 1 - (0.99 - delta) / grown, 1);
  return most < 1 ? upText(100 * most, 3) : "100";
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
  for (let step = 0; step < FACTORS; step++) {
    const middle = (low + high) / 2;
    if (price(at(2 ** middle)) <= target) high = middle; else low = middle;
  }
  return at(2 ** high);
}

const START = places();
const ends = () => [price(asked.map((q) => q.widths.length - 1)), price(asked.map(() => 0))];

function targetOf(value) {
  const [least, most] = ends();
  return least * (most / least) ** (value / STEPS);
}

function valueOf(total) {
  const [least, most] = ends();
  return Math.round(STEPS * Math.log(total / least) / Math.log(most / least) || 0);
}

// Words

function widthText(q, place) {
  return `±${few(q.widths[place])}` + (q.of ? ` ${q.of}` : "") + (q.rows ? ` at ${q.rows.toLocaleString("en-US")} rows` : "");
}

function advice(found) {
  const n = found.sizes.indexOf(Math.max(...found.sizes)), most = asked[n];
  const share = Math.round(100 * found.sizes[n] / found.sizes.reduce((whole, one) => whole + one, 0));
  const wider = placeOf(most, 1.5 * most.widths[most.at]);
  if (asked.length < 2 || wider === most.at) return `${share} % of the loss is ${most.label}.`;
  const less = bill(places().map((place, m) => (m === n ? wider : place)));
  return `${share} % of the loss is ${most.label}. With ${widthText(most, wider)} the plan costs ${said(less)}.`;
}

function sharedText([block, part]) {
  const names = block.places.map((n) => asked[n].label), last = names.pop();
  return `${names.join(", ")} and ${last} are counted as one vector, ${few(100 * (1 - part))} % cheaper than apart.`;
}

function said(found) {
  const epsilon = epsilonOf(found.total);
  if (found.isPure) return `epsilon ${epsilon}, with no delta`;
  return epsilon ? `epsilon ${epsilon} at delta ${chosenDelta()}` : lossText(found.total);
}

// What a plan takes from what is left: numbers of the ledger's kind, or nothing where it has none.
function taken(left, found) {
  if (inDelta) return takenOf(left, found);
  const size = found.total / facts.parts;
  if (left.kind === facts.kind) return [[facts.loss, size]];
  if (left.kind === "purses" && facts.kind === "gdp") return [["mu2", size]];
  if (left.kind === "purses" && facts.kind === "pure") return [["pure", size]];
  if (left.kind === "approx" && facts.kind === "pure") return [["epsilon", size]];
  const fits = left.kind === "approx" && Number(chosenDelta()) <= number(left.delta);
  return fits ? [["epsilon", Number(epsilonOf(found.total))]] : null;
}

function takenOf(left, { total, noise, isPure }) {
  if (left.kind === "zcdp") return [["rho", sum(noise, "rho")]];
  if (left.kind === "gdp") return [["mu2", sum(noise, "mu2")]];
  if (left.kind === "pure") return isPure ? [["epsilon", sum(noise, "pure")]] : null;
  if (left.kind === "approx") return isPure || Number(chosenDelta()) <= number(left.delta) ? [["epsilon", total]] : null;
  const laplace = noise.filter((one) => !one.own), gaussian = noise.filter((one) => one.own);
  const both = [["pure", sum(laplace, "pure")], ["mu2", sum(gaussian, "mu2")]].filter(([, spent]) => spent > 0);
  const fits = both.every(([name, spent]) => spent <= number(left[name]));
  return fits ? both : [["mu2", sum(noise, "mu2")]]; // pure loss can be paid as Gaussian
}

function ledger(found) {
  if (!facts.left) return null;
  const spends = taken(facts.left, found);
  if (!spends) return ["not comparable", "it adds another kind of loss, or a smaller delta: ask discreet plan"];
  const told = spends.map(([name, spent]) => [name, number(facts.left[name]), spent]);
  const fits = told.every(([, before, spent]) => spent <= before);
  const after = told.map(([name, before, spent]) => `${name} ${few(before - spent)}`).join(" and ");
  return [fits ? `${after} after` : "does not fit", `${told.map(([name, before]) => `${name} ${few(before)}`).join(" and ")} before`];
}

function number(text) {
  const [top, bottom] = text.split("/").map(Number);
  return bottom ? top / bottom : top;
}

// What is shown

function told(id, head, rest) {
  by(id).replaceChildren(made("strong", {}, head), document.createTextNode(` ${rest}`));
}

function show() {
  const found = bill(places()), { total } = found;
  const epsilon = epsilonOf(total), yes = trueYes(found);
  if (inDelta) told("loss-now", `epsilon ${epsilon}`, noiseText(found));
  else if (epsilon) told("loss-now", `epsilon ${epsilon}`, `at delta ${chosenDelta()}; ${lossText(total)}`);
  else told("loss-now", lossText(total), "no delta");
  told("yes-now", `at most ${yes} in 100`, "is found by a guesser who is wrong about 1 in 100 others");
  const book = ledger(found);
  by("ledger").hidden = !book;
  if (book) told("left-now", ...book);
  by("alarm").hidden = Number(yes) < HARDLY;
  by("whole").value = valueOf(total);
  by("whole").setAttribute("aria-valuetext", said(found));
  const whole = found.sizes.reduce((sum, one) => sum + one, 0);
  asked.forEach((q, n) => {
    q.slider.value = q.at;
    q.slider.setAttribute("aria-valuetext", widthText(q, q.at));
    q.width.textContent = widthText(q, q.at);
    q.share.textContent = `${Math.round(100 * found.sizes[n] / whole)} %`;
  });
  by("advice").textContent = advice(found);
  by("shared").textContent = found.shared.map(sharedText).join(" ");
  by("toml").textContent = toml();
  by("python").textContent = python();
  curve();
  draw();
}

function noiseText({ noise, isPure }) {
  if (isPure) return "in Laplace noise, which needs no delta";
  const both = noise.some((one) => !one.own) ? "in noise of both laws" : "in Gaussian noise";
  return `at delta ${chosenDelta()}, ${both}`;
}

function typed(q) {
  return q.typed[q.at];
}

function toml() {
  const parts = asked.map((q) => ["[[ask]]", ...q.toml, `within = ${JSON.stringify(typed(q))}`].join("\n"));
  const spend = ["[spend]", inDelta ? `delta = ${JSON.stringify(chosenDelta())}` : `kind = ${JSON.stringify(facts.kind)}`];
  const whole = facts.together ? ["together = true  # above the first [part]"] : [];
  return [...whole, spend.join("\n"), ...parts].join("\n\n");
}

function python() {
  const terms = inDelta ? `delta=${JSON.stringify(chosenDelta())}` : `kind=${JSON.stringify(facts.kind)}`;
  const parts = asked.map((q) => {
    const comma = q.python.endsWith("(") ? "" : ", ";
    return `    ${q.python}${comma}within=${JSON.stringify(typed(q))}),`;
  });
  return ["plan = discreet.plan(", "    table,", ...parts, `    ${terms}${facts.together ? ", together=True" : ""},`, ")"].join("\n");
}

// Pictures

// Each number of the curve is a whole bill: they are worked out in slices, between which keys are heard.
let drawing = 0;
function curve() {
  const place = Number(by("which").value), q = asked[place], mine = (drawing += 1), at = places();
  const step = inDelta ? Math.ceil(q.widths.length / CURVE) : 1, last = q.widths.length - 1;
  const shown = q.widths.map((_, n) => n).filter((n) => n % step === 0 || n === last || n === q.at);
  const numbers = [];
  const work = () => {
    if (mine !== drawing) return;
    const start = performance.now();
    while (numbers.length < shown.length && performance.now() - start < SLICE) {
      const { total } = bill(at.map((one, n) => (n === place ? shown[numbers.length] : one)));
      numbers.push(inDelta ? total : Number(chosenDelta() ? epsilonOf(total) : total / facts.parts));
    }
    if (numbers.length < shown.length) setTimeout(work); else drawCurve(q, shown, numbers);
  };
  work();
}

function drawCurve(q, shown, numbers) {
  const [left, right, top, bottom] = [50, 590, 15, 185];
  const logs = shown.map((place) => Math.log(Math.max(q.widths[place], 1e-12)));
  const from = logs.find((value) => value > -20) ?? 0, to = logs[logs.length - 1];
  const x = (place) => left + (right - left) * Math.max(0, (logs[place] - from) / (to - from || 1));
  const most = Math.log(Math.max(...numbers)), least = Math.log(Math.max(Math.min(...numbers), 1e-12));
  const y = (value) => bottom - (bottom - top) * (Math.log(Math.max(value, 1e-12)) - least) / (most - least || 1);
  const now = shown.indexOf(q.at), last = shown.length - 1, end = q.widths.length - 1;
  const line = numbers.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  by("curve").replaceChildren(
    made("line", { svg: 1, class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    made("line", { svg: 1, class: "axis", x1: left, x2: left, y1: top, y2: bottom }),
    made("polyline", { svg: 1, class: "graph", points: line }),
    made("circle", { svg: 1, class: "spot", r: 6, cx: x(now), cy: y(numbers[now]) }),
    made("text", { svg: 1, x: left, y: 205 }, `±${few(q.widths[0])}`),
    made("text", { svg: 1, x: right, y: 205, "text-anchor": "end" }, `±${few(q.widths[end])}`),
    made("text", { svg: 1, x: 0, y: bottom }, few(numbers[last])),
    made("text", { svg: 1, x: 0, y: top + 8 }, few(numbers[0])),
  );
  const name = chosenDelta() ? "epsilon" : facts.loss;
  by("curve-told").textContent = `${name} of the whole plan, from ${few(numbers[0])} at ±${few(q.widths[0])} to ${few(numbers[last])} at ±${few(q.widths[end])} of ${q.label}; now ${few(numbers[now])} at ±${few(q.widths[q.at])}.`;
}

let luck = [];

// For the picture alone: this chance protects nobody, and nothing of it is released. Each is a noise
// of size 1, Gaussian and Laplace.
function drawLuck() {
  luck = Array.from({ length: 12 }, () => {
    const [size, turn] = [Math.random(), Math.random()], far = -Math.log(1 - size);
    return { gaussian: Math.sqrt(2 * far) * Math.cos(2 * Math.PI * turn), laplace: far * (turn < 0.5 ? -1 : 1) };
  });
}

// What of such a noise lies within its half-width but with chance alpha.
const HALF = {
  gaussian: (alpha) => crossing((z) => Math.exp((-z * z) / 2) / ROOT * ratio(z) <= alpha / 2, 0, FAR),
  laplace: (alpha) => -Math.log(alpha),
};

function isLaplace(place) {
  return inDelta ? !bill(places()).noise[place].own : facts.kind === "pure";
}

function draw() {
  const place = Number(by("which").value), q = asked[place], law = isLaplace(place) ? "laplace" : "gaussian", half = HALF[law](Number(q.alpha));
  const own = q.widths[START[place]] || 1, now = q.widths[q.at];
  const truths = luck.map((_, n) => 8 * own * (1 + Math.sin(n * 1.7)) / 2);
  const top = Math.max(...truths) + 3 * own, least = -3 * own;
  const y = (value) => 150 - 140 * (Math.min(Math.max(value, least), top) - least) / (top - least);
  const parts = truths.flatMap((truth, n) => {
    const x = 30 + 48 * n, value = truth + luck[n][law] / half * now;
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
  facts.deltas.forEach((delta) => by("delta").append(made("option", { value: delta }, delta)));
  by("delta").hidden = by("delta-label").hidden = facts.deltas.length === 0;
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
