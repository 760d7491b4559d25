// The account of both laws, as discreet.noise.mixture has it, in doubles and on the safe side: each
// rounding of theirs is far below SAFE, by which every epsilon is raised.

const SAFE = 1.0005; // also what Python's own table, which is finer, may be above the truth
const NEAR = 1 / 32, FAR = 40, ROOT = Math.sqrt(2 * Math.PI);
const POINTS = 512, FINEST = 1 / 250, MOST_ATOMS = 256, BEYOND = 64; // Python: 2048, 1/1000, the same
const MIXED = 0.985; // Python takes both laws from 0.99 of one on; a little later here, so never below

// The upper tail of the normal law over its density, above 0: a series up to 2, then a fraction.
function ratioAt(t) {
  if (t < 2) {
    let part = t, sum = t;
    for (let n = 3; part > sum * 1e-17; n += 2) { part *= (t * t) / n; sum += part; }
    return Math.exp((t * t) / 2) * (ROOT / 2) - sum;
  }
  let found = t;
  for (let n = Math.ceil(160 / t); n > 0; n -= 1) found = t + n / found;
  return 1 / found;
}

const RATIOS = Array.from({ length: FAR / NEAR + 1 }, (_, n) => ratioAt(n * NEAR));

// Between two places by Taylor: each derivative follows from the two before it.
function ratio(t) {
  if (t >= FAR) return ratioAt(t);
  const place = Math.round(t / NEAR), near = place * NEAR, step = t - near;
  let before = RATIOS[place], now = near * before - 1, power = step, sum = before + now * step;
  for (let n = 1; n < 7; n += 1) {
    [before, now] = [now, near * now + n * before];
    power *= step / (n + 1);
    sum += now * power;
  }
  return sum;
}

// delta of N(0, 1) against N(mu, 1) at an epsilon of any sign; of nothing where mu is 0.
function deltaOf(mu, epsilon) {
  if (!mu) return Math.max(0, -Math.expm1(epsilon));
  const a = epsilon / mu - mu / 2, b = a + mu;
  if (a > FAR) return 0; // below what a double holds
  if (b < 0) return -Math.expm1(epsilon) + Math.exp(epsilon) * deltaOf(mu, -epsilon);
  const density = Math.exp((-a * a) / 2) / ROOT;
  return a < 0 ? 1 - density * (ratio(-a) + ratio(b)) : density * (ratio(a) - ratio(b));
}

// Where a falling function is at most a number, from above.
function crossing(fits, low, high) {
  for (let step = 0; step < 34; step += 1) {
    const middle = (low + high) / 2;
    if (fits(middle)) high = middle; else low = middle;
  }
  return high;
}

function epsilonOfGaussian(mu2, delta) {
  const mu = Math.sqrt(mu2), most = mu2 / 2 + mu * Math.sqrt(2 * Math.log(1 / delta));
  return mu2 ? crossing((epsilon) => deltaOf(mu, epsilon) <= delta, 0, most) : 0;
}

// Any order is safe; the best one is nearest (Canonne, Kamath and Steinke 2020, Proposition 12).
function epsilonOfRho(rho, delta) {
  const at = (x) => rho * (x + 1) + (Math.log(1 / delta) - Math.log1p(x)) / x + Math.log(x / (x + 1));
  let low = -8, high = 24;
  for (let step = 0; step < 36; step += 1) {
    const [one, other] = [low + (high - low) / 3, high - (high - low) / 3];
    if (at(Math.exp(one)) < at(Math.exp(other))) high = other; else low = one;
  }
  return Math.max(0, at(Math.exp(low)));
}

// The losses of a number that moves by l1, each split to both ends of its cell so that both chances
// stay: by Theorem 1 of docs/laws/gdp.md.
function losses([rate, l1], step) {
  if (l1 > MOST_ATOMS) [rate, l1] = [rate * l1, 1];
  const q = Math.exp(-rate), first = Math.floor((-rate * l1) / step);
  const chances = new Float64Array(Math.ceil((rate * l1) / step) - first + 2);
  for (let j = 0; j <= l1; j += 1) {
    const chance = (j === 0 ? 1 : j === l1 ? q ** l1 : -Math.expm1(-rate) * q ** j) / (1 + q);
    const loss = rate * (l1 - 2 * j), place = Math.floor(loss / step);
    const above = chance * Math.min(1, Math.max(0, Math.expm1(place * step - loss) / Math.expm1(-step)));
    chances[place - first] += chance - above;
    chances[place - first + 1] += above;
  }
  return { first, chances };
}

function joined(one, other) {
  const chances = new Float64Array(one.chances.length + other.chances.length - 1);
  other.chances.forEach((by, n) => {
    if (by) for (let m = 0; m < one.chances.length; m += 1) chances[n + m] += by * one.chances[m];
  });
  return { first: one.first + other.first, chances };
}

// An epsilon that Gaussian noise of mu^2 and Laplace noise keep together at a delta.
function epsilonOfBoth(mu2, laplace, delta) {
  const pure = laplace.reduce((sum, [rate, l1]) => sum + rate * l1, 0);
  const normal = epsilonOfGaussian(mu2, delta), added = pure + normal;
  if (!laplace.length || added > BEYOND) return added;
  const mu = Math.sqrt(mu2), step = Math.max(FINEST, (2 * pure + 24 * mu) / POINTS);
  const table = laplace.map((one) => losses(one, step)).sort((a, b) => b.chances.length - a.chances.length).reduce(joined);
  let low = Math.floor(normal / step) - 1, high = Math.ceil(added / step);
  const { first, chances } = table, from = low - first - chances.length;
  const known = new Float64Array(high - first - from + 1).fill(-1);
  const at = (n) => {
    let found = 0;
    for (let i = 0; i < chances.length; i += 1) {
      const place = n - first - i;
      if (known[place - from] < 0) known[place - from] = deltaOf(mu, place * step);
      found += chances[i] * known[place - from];
    }
    return found;
  };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at(middle) <= delta) high = middle; else low = middle;
  }
  const [before, after] = [at(low), at(high)], part = before > after ? (before - delta) / (before - after) : 1;
  return Math.min(added, Math.max(0, low * step + Math.log1p(Math.min(1, part) * Math.expm1(step))));
}

// Prices of questions in (epsilon, delta). Each has its noise in both laws: `gaussian` and `laplace`,
// with what it costs as mu2, rho and pure, and its Laplace noise as [rate, l1].

const sum = (all, name) => all.reduce((whole, one) => whole + one[name], 0);

function epsilonOfAll(noise, delta) {
  const both = epsilonOfBoth(sum(noise, "own"), noise.flatMap((one) => one.noise), delta);
  return Math.min(both, epsilonOfGaussian(sum(noise, "mu2"), delta), epsilonOfRho(sum(noise, "rho"), delta));
}

// The laws that discreet.plans.two_laws proposes, found as there: by a border in the order of prices.
function mixed(asked, delta, pure) {
  const free = asked.map((_, n) => n).filter((n) => asked[n].gaussian.own > 0 && !asked[n].fixed);
  const order = free.sort((n, m) => asked[n].laplace.pure / asked[n].gaussian.own - asked[m].laplace.pure / asked[m].gaussian.own || n - m);
  const known = new Map();
  const at = (border) => {
    const moved = new Set(order.slice(0, border));
    return asked.map((one, n) => (moved.has(n) ? one.laplace : one.gaussian));
  };
  const price = (border) => {
    if (!known.has(border)) {
      const noise = at(border);
      known.set(border, epsilonOfBoth(sum(noise, "own"), noise.flatMap((one) => one.noise), delta));
    }
    return known.get(border);
  };
  const least = Math.min(price(0), pure);
  const mu2 = Math.exp(-2 * crossing((x) => deltaOf(Math.exp(-x), least) <= delta, -4, 20));
  const slope = (epsilonOfGaussian(mu2, delta) - epsilonOfGaussian(0.9 * mu2, delta)) / (0.1 * mu2);
  let border = order.filter((n) => asked[n].laplace.pure <= slope * asked[n].gaussian.own).length;
  for (let before = -1; before !== border;) {
    before = border;
    const near = [1, -1, 2, -2].map((step) => before + step).filter((n) => n >= 0 && n <= order.length);
    border = near.reduce((best, n) => (price(n) < price(best) ? n : best), before);
  }
  return border > 0 && border < asked.length ? at(border) : null;
}

// The least epsilon that Python finds for questions, and which noise has it. Of one question alone
// Python has worked it out.
function leastEpsilon(asked, delta, alone) {
  if (alone !== undefined) {
    const [{ gaussian, laplace }] = asked;
    return { epsilon: alone, noise: [alone < laplace.pure ? gaussian : laplace] };
  }
  const laplace = asked.map((one) => one.laplace), gaussian = asked.map((one) => one.gaussian);
  const pure = sum(laplace, "pure"), normal = epsilonOfAll(gaussian, delta);
  const one = pure <= normal ? { epsilon: pure, noise: laplace } : { epsilon: normal, noise: gaussian };
  const noise = mixed(asked, delta, pure);
  const epsilon = noise ? epsilonOfAll(noise, delta) : Infinity;
  const best = epsilon <= MIXED * one.epsilon ? { epsilon, noise } : one;
  return { ...best, epsilon: best.epsilon * SAFE };
}

// Questions that share one vector, as in discreet.plans.shared_vectors: of which the count has noise x wide,
// and each sum what its mean then leaves.

const SHARED = 0.988; // of the price apart; Python's is 0.99
const PLACES = 4096;

// The least price of a shared vector, but for a factor, where its questions may err so much.
function leastShared(widths, rooms, replaces) {
  const ends = rooms.filter((_, n) => !widths[n]).map((room) => room * room);
  const sums = rooms.map((room, n) => [room * room, widths[n] ** 2]).filter(([, width]) => width);
  const last = Math.min(...ends, Math.min(...sums.map(([room, width]) => room / width)) * (1 - 1 / PLACES));
  const price = (place) => {
    const x2 = (last * place) / PLACES;
    const all = sums.reduce((whole, [room, width]) => whole + width / (room - width * x2), 0);
    return replaces ? Math.max(4 * all, 2 * (all + 1 / x2)) : all + 1 / x2;
  };
  let low = 1, high = PLACES;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (price(middle + 1) < price(middle)) low = middle + 1; else high = middle;
  }
  return price(low);
}

// What a block costs, of what its questions cost apart; 1 where it is not taken.
function partOf(block, places, factor, apart) {
  const rooms = block.places.map((n, at) => block.rooms[at][places[n]]);
  const part = (factor * leastShared(block.widths, rooms, block.replaces)) / apart;
  return part <= SHARED ? part : 1;
}
