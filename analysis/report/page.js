// The page's script: draws every chart as SVG from the data beside it, and
// lets the reader zoom, read values and choose series. It fetches nothing.
"use strict";
(() => {
  const { palette, dashes } = LOOKS; // of analysis/chart
  const colour = (style) => palette[style % palette.length];
  const dash = (style) => dashes[(style + Math.floor(style / palette.length)) % dashes.length];

  const gap = 14; // between panels, as in the style sheet
  const printWidth = 700; // of A4 between the margins, in pixels
  const charWidth = 6.8; // of the axes' text, about
  const barText = 17; // what the text above a bar takes, in pixels

  let ids = 0;

  function svg(name, attributes, parent, text) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  function html(name, className, parent, text) {
    const e = document.createElement(name);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  // fit narrows a text that is longer than its room.
  function fit(text, room) {
    if (text.getComputedTextLength() > room) {
      text.setAttribute("textLength", room);
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
  }

  // short writes a number with so many significant digits.
  function short(v, digits) {
    if (v === null) return "–";
    const rounded = Number(v.toPrecision(digits));
    const small = rounded !== 0 && Math.abs(rounded) < 1e-4;
    return small ? rounded.toExponential() : String(rounded);
  }

  // steps are round numbers between low and high, about so many.
  function steps(low, high, about) {
    const span = high - low;
    if (!(span > 0)) return [low];
    let step = Math.pow(10, Math.floor(Math.log10(span)) - 1);
    for (const factor of [1, 2, 2.5, 2, 2, 2.5]) {
      step *= factor;
      if (span / step <= about) break;
    }
    const list = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) list.push(Number((i * step).toPrecision(12)));
    return list;
  }

  // powers are 1, 2 and 5 times the powers of ten between low and high, or the
  // powers alone where there would be too many.
  function powers(low, high, about) {
    if (high / low < 4) return steps(low, high, about);
    const pick = (factors) => {
      const list = [];
      for (let p = Math.floor(Math.log10(low)); p <= Math.log10(high); p++) {
        for (const f of factors) {
          const v = f * Math.pow(10, p);
          if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) list.push(Number(v.toPrecision(12)));
        }
      }
      return list;
    };
    const all = pick([1, 2, 5]);
    return all.length <= 1.6 * about ? all : pick([1]);
  }

  // An Axis maps values to pixels. Its domain is in the scale's own space:
  // logarithms where it is logarithmic.
  class Axis {
    constructor(log, domain, from, to) {
      this.log = log;
      this.domain = domain;
      this.from = from;
      this.to = to;
    }
    space(v) { return this.log ? Math.log10(v) : v; }
    value(s) { return this.log ? Math.pow(10, s) : s; }
    at(v) {
      const [a, b] = this.domain;
      return this.from + ((this.space(v) - a) / (b - a)) * (this.to - this.from);
    }
    back(pixel) { // in the scale's space
      const [a, b] = this.domain;
      return a + ((pixel - this.from) / (this.to - this.from)) * (b - a);
    }
    ticks(about) {
      const [a, b] = this.domain;
      return this.log ? powers(this.value(a), this.value(b), about) : steps(a, b, about);
    }
  }

  // Charts are drawn one by one, so that a page of many can be read at once: the
  // first in view first.
  const waiting = new Set();
  let coming = false;

  function later(chart) {
    waiting.add(chart);
    if (coming) return;
    coming = true;
    setTimeout(next);
  }

  function next() {
    coming = false;
    const inView = (c) => {
      const r = c.figure.getBoundingClientRect();
      return r.bottom > 0 && r.top < window.innerHeight;
    };
    const chart = [...waiting].find(inView) || [...waiting][0];
    if (!chart) return;
    chart.ready();
    if (waiting.size) {
      coming = true;
      setTimeout(next);
    }
  }

  class Chart {
    constructor(figure) {
      this.figure = figure;
      this.data = JSON.parse(figure.querySelector("script").textContent);
      this.series = []; // a line or bars by name, in all panels
      let xs = [];
      this.panels = this.data.panels.flatMap((row, r) => row.filter((data) => !data.blank).map((data) => {
        const lines = data.lines || [];
        for (const l of lines) {
          const { x, y, e } = l.data;
          if (x) xs = x; // else those of the line before
          Object.assign(l, { xs, y, e, s: this.series.findIndex((s) => s.name === l.name && s.style === l.style) });
          if (l.s < 0 && y.length) l.s = this.series.push({ name: l.name, style: l.style }) - 1;
        }
        return { row: r, data, lines: lines.filter((l) => l.y.length), bars: lines.some((l) => l.shape === "bars") };
      }));
      this.hidden = new Set();
      this.x = null; // zoomed, in the scale's space
      this.ys = new Map(); // zoomed, by panel or (with a shared axis) by row
      const bench = figure.querySelector(".bench");
      this.bar = html("div", "bar", bench);
      this.keys();
      this.zoomButtons();
      this.grid = html("div", "panels", bench);
      for (const p of this.panels) this.panel(p);
      this.full = this.fullX();
      this.width = 0;
      this.bench = bench;
      // The first call comes with the first layout of the page.
      new ResizeObserver(() => { if (!this.printing) this.fit(bench.clientWidth, 250); }).observe(bench);
    }

    // keys is the legend: a button for each series.
    keys() {
      const box = html("div", "keys", this.bar);
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "series");
      this.buttons = this.series.map((s, i) => {
        const b = html("button", "key", box);
        b.type = "button";
        const swatch = svg("svg", { width: 22, height: 10, "aria-hidden": "true" }, b);
        svg("line", { x1: 0, x2: 22, y1: 5, y2: 5, stroke: colour(s.style), "stroke-width": 3, "stroke-dasharray": dash(s.style) }, swatch);
        html("span", "", b, s.name || this.data.y_label);
        b.addEventListener("click", () => this.toggle(i));
        b.addEventListener("dblclick", () => this.alone(i));
        return b;
      });
      this.pressed();
    }

    pressed() {
      this.buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(!this.hidden.has(i))));
    }

    toggle(i) {
      if (!this.hidden.delete(i)) this.hidden.add(i);
      this.pressed();
      this.draw();
    }

    // alone shows one series only, or all if it is alone already.
    alone(i) {
      const others = this.series.map((_, k) => k).filter((k) => k !== i);
      const already = others.every((k) => this.hidden.has(k)) && !this.hidden.has(i);
      this.hidden = new Set(already ? [] : others);
      this.pressed();
      this.draw();
    }

    zoomButtons() {
      const box = html("div", "zoom", this.bar);
      const add = (text, label, act) => {
        const b = html("button", "", box, text);
        b.type = "button";
        b.setAttribute("aria-label", label);
        b.addEventListener("click", act);
        return b;
      };
      if (this.panels.some((p) => !p.bars)) {
        add("+", "zoom in", () => this.scaleX(0.5));
        add("−", "zoom out", () => this.scaleX(2));
      }
      this.resetButton = add("whole", "show the whole figure", () => this.reset());
    }

    reset() {
      this.x = null;
      this.ys.clear();
      this.draw();
    }

    // scaleX makes the x axis so many times as long, around a place.
    scaleX(factor, around) {
      const [a, b] = this.x || this.full;
      const c = around === undefined ? (a + b) / 2 : around;
      this.zoomX(c + (a - c) * factor, c + (b - c) * factor);
      this.draw();
    }

    zoomX(a, b) {
      const [low, high] = this.full;
      a = Math.max(a, low);
      b = Math.min(b, high);
      if (!(b - a > (high - low) * 1e-6)) return;
      this.x = b - a > (high - low) * 0.999 ? null : [a, b];
    }

    yKey(p) { return this.data.share_y ? "row" + p.row : "panel" + this.panels.indexOf(p); }

    visible(p) {
      return p.lines.filter((l) => !this.hidden.has(l.s));
    }

    // slots are the names below a panel's bars that have any, by their numbers.
    slots(p) {
      const at = this.visible(p).flatMap((l) => l.xs.map((x) => Math.round(x - (l.beside || 0))));
      return [...new Set(at)].sort((a, b) => a - b);
    }

    // fullX is the range of the x axis, the same in all panels.
    fullX() {
      let low = Infinity, high = -Infinity;
      for (const p of this.panels) {
        const d = p.data;
        if (d.names && d.names.length) {
          low = Math.min(low, -0.5);
          high = Math.max(high, d.names.length - 0.5);
        } else if ((d.to_x || 0) > (d.from_x || 0)) {
          low = Math.min(low, d.from_x || 0);
          high = Math.max(high, d.to_x);
        } else {
          if ((this.data.least_x || 0) > 0) low = Math.min(low, this.data.least_x);
          for (const l of p.lines) {
            for (const v of l.xs) {
              if (v === null || (this.data.log_x && v <= 0)) continue;
              low = Math.min(low, v);
              high = Math.max(high, v);
            }
          }
        }
      }
      if (!(high > low)) return [low === Infinity ? 0 : low - 1, low === Infinity ? 1 : low + 1];
      if (this.data.log_x) return [Math.log10(low), Math.log10(high)];
      if (this.panels.some((p) => !p.data.names && p.lines.some((l) => l.dots))) { // so that the dots are not cut
        const air = 0.03 * (high - low);
        return [low - air, high + air];
      }
      return [low, high];
    }

    // fullY is the range of a panel's y axis: all that is shown in it, or in its
    // row where they share it, and its marks if they are near.
    fullY(p) {
      const row = this.data.share_y ? this.panels.filter((q) => q.row === p.row) : [p];
      let low = Infinity, high = -Infinity, vertical = false;
      const take = (y, e) => {
        if (y === null || (this.data.log_y && y <= 0)) return;
        low = Math.min(low, this.data.log_y ? Math.max(y - e, y / 10) : this.lowEnd(y, e));
        high = Math.max(high, y + e);
      };
      for (const q of row) {
        for (const l of this.visible(q)) l.y.forEach((y, i) => take(y, l.e ? l.e[i] : 0));
        for (const m of q.data.marks || []) vertical = vertical || Boolean(m.x !== undefined && m.text);
      }
      if (high === -Infinity) return this.data.log_y ? [0, 1] : [0, 1];
      const least = this.data.least_y || 0;
      if (this.data.log_y) return [Math.log10(least > 0 ? Math.min(least, low) : low / 1.1), Math.log10(high * 1.1)];
      low = Math.min(least, low);
      for (const q of row) {
        for (const m of q.data.marks || []) {
          if (m.y > high && m.y - low < 1.4 * (high - low)) high = m.y;
        }
      }
      if (!(high > low)) high = low + 1;
      const air = row.some((q) => q.bars) ? barText / (this.panelHeight - barText - 46) : 0; // above bars stand their values
      return [low, high + Math.max(air, vertical ? 0.16 : 0.08) * (high - low)];
    }

    panel(p) {
      p.box = html("div", "panel", this.grid);
      if (p.data.title) html("h4", "", p.box, p.data.title);
      p.svg = svg("svg", { tabindex: 0, role: "img" }, p.box);
      const names = this.series.filter((_, i) => p.lines.some((l) => l.s === i)).map((s) => s.name);
      p.svg.setAttribute("aria-label", [this.figure.querySelector("h3").textContent, p.data.title, names.join(", ")].filter(Boolean).join("; "));
      p.clip = "clip" + ids++;
      this.listen(p);
    }

    // fit lays the panels out for a width.
    fit(width, least) {
      if (!width || Math.abs(width - this.width) < 1) return;
      this.width = width;
      const most = Math.max(1, Math.floor((width + gap) / (least + gap)));
      const columns = Math.max(1, ...this.data.panels.map((row) => row.length));
      let use = Math.min(columns, most);
      let even = use;
      while (columns % even) even--;
      if (2 * even > use) use = even;
      this.columns = use;
      this.grid.style.gridTemplateColumns = `repeat(${use}, minmax(0, 1fr))`;
      this.panelWidth = Math.floor((width - (use - 1) * gap) / use);
      this.panelHeight = Math.round(Math.min(330, Math.max(190, 0.62 * this.panelWidth)));
      for (const p of this.panels) { // so that the page has its height
        p.svg.textContent = "";
        p.svg.setAttribute("viewBox", `0 0 ${this.panelWidth} ${this.panelHeight}`);
      }
      if (this.printing) this.draw();
      else later(this);
    }

    // ready draws what is still to be drawn.
    ready() {
      if (waiting.delete(this)) this.draw();
    }

    draw() {
      if (!this.width) return;
      this.resetButton.disabled = !this.x && !this.ys.size;
      // All panels have the same margins, so that their axes are in line.
      let widest = 0;
      for (const p of this.panels) {
        p.yDomain = this.ys.get(this.yKey(p)) || this.fullY(p);
        const axis = new Axis(this.data.log_y, p.yDomain, 0, this.panelHeight);
        p.yTicks = axis.ticks(Math.max(2, (this.panelHeight - 50) / 34));
        for (const v of p.yTicks) widest = Math.max(widest, short(v, 12).length);
      }
      this.left = 26 + widest * charWidth;
      this.panels.forEach((p, i) => this.drawPanel(p, i));
    }

    drawPanel(p, i) {
      const w = this.panelWidth, h = this.panelHeight;
      const root = p.svg;
      root.textContent = "";
      const left = this.left, right = w - 8, top = 8, bottom = h - 38;
      p.area = { left, right, top, bottom };
      const clip = svg("clipPath", { id: p.clip }, svg("defs", {}, root));
      svg("rect", { x: left, y: top, width: Math.max(0, right - left), height: bottom - top + 1 }, clip);

      const y = (p.y = new Axis(this.data.log_y, p.yDomain, bottom, top));
      for (const v of p.yTicks) {
        const at = Math.round(y.at(v)) + 0.5;
        if (at < top - 1 || at > bottom + 1) continue;
        svg("line", { class: "grid", x1: left, x2: right, y1: at, y2: at }, root);
        svg("text", { x: left - 5, y: at + 4, "text-anchor": "end" }, root, short(v, 12));
      }
      const x = (p.x = new Axis(this.data.log_x, this.x || this.full, left, right));
      p.slots = p.bars ? this.slots(p) : null;
      p.bars ? this.barNames(p) : this.xTicks(p);
      svg("line", { class: "axis", x1: left, x2: right, y1: bottom + 0.5, y2: bottom + 0.5 }, root);
      svg("line", { class: "axis", x1: left + 0.5, x2: left + 0.5, y1: top, y2: bottom }, root);
      if (i % this.columns === 0) {
        fit(svg("text", { class: "label", transform: `translate(11 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, root, this.data.y_label), top + bottom);
      }
      if (i + this.columns >= this.panels.length && this.data.x_label) {
        fit(svg("text", { class: "label", x: (left + right) / 2, y: h - 5, "text-anchor": "middle" }, root, this.data.x_label), right - left);
      }

      const drawing = svg("g", { "clip-path": `url(#${p.clip})` }, root);
      for (const l of this.visible(p)) {
        if (l.shape === "bars") this.drawBars(p, l, y, drawing);
        else if (l.shape === "boxes") this.drawBoxes(l, x, y, drawing);
        else this.drawLine(p, l, x, y, drawing);
      }
      this.drawMarks(p, x, y, root, drawing);
      if (!this.visible(p).length) {
        const none = p.lines.length ? "nothing chosen" : "no data";
        svg("text", { x: (left + right) / 2, y: (top + bottom) / 2, "text-anchor": "middle" }, root, none);
      }
      p.over = svg("g", {}, root); // cross and selection
      p.hover = null;
      this.leave(p);
    }

    xTicks(p) {
      const { left, right, top, bottom } = p.area;
      const names = p.data.names;
      let ticks = [];
      if (names && names.length) {
        const room = (right - left) / (p.x.domain[1] - p.x.domain[0]);
        const every = Math.max(1, Math.ceil((Math.max(...names.map((n) => n.length)) * charWidth + 8) / room));
        names.forEach((n, k) => { if (k % every === 0) ticks.push([k, n]); });
      } else {
        ticks = p.x.ticks(Math.max(2, (right - left) / 46)).map((v) => [v, short(v, 12)]); // as exact as ticks are: six digits would be the next one's, zoomed in
      }
      let last = -Infinity;
      for (const [v, text] of ticks) {
        const at = Math.round(p.x.at(v)) + 0.5;
        if (!(at >= left - 1 && at <= right + 1)) continue;
        svg("line", { class: "grid", x1: at, x2: at, y1: top, y2: bottom }, p.svg);
        const half = (text.length * charWidth) / 2;
        const middle = Math.min(Math.max(at, half), this.panelWidth - half);
        if (middle - half < last + 4) continue;
        last = middle + half;
        svg("text", { x: middle, y: bottom + 15, "text-anchor": "middle" }, p.svg, text);
      }
    }

    // place is where a name's bars are, and the room they have.
    place(p, at) {
      const { left, right } = p.area;
      const room = (right - left) / p.slots.length;
      return [left + (p.slots.indexOf(at) + 0.5) * room, room];
    }

    barNames(p) {
      for (const i of p.slots) {
        const [at, room] = this.place(p, i);
        let name = p.data.names[i];
        const fits = Math.max(3, Math.floor(room / charWidth));
        if (name.length > fits) name = name.slice(0, fits - 1) + "…";
        svg("text", { x: at, y: p.area.bottom + 15, "text-anchor": "middle" }, p.svg, name);
      }
    }

    drawBars(p, l, y, drawing) {
      const c = colour(l.style), beside = l.beside || 0;
      const base = y.at(this.data.log_y ? y.value(y.domain[0]) : Math.max(this.data.least_y || 0, y.domain[0]));
      l.xs.forEach((x, i) => {
        if (this.data.log_y && l.y[i] <= 0) return;
        const [middle, room] = this.place(p, Math.round(x - beside));
        const width = Math.min(64, 0.83 * l.width * room);
        const at = middle + (beside / l.width) * width;
        const tip = y.at(l.y[i]), error = l.e ? l.e[i] : 0;
        svg("rect", { class: "column", "data-series": l.s, x: at - width / 2, width, y: Math.min(base, tip), height: Math.abs(base - tip), fill: c, "fill-opacity": 0.5, stroke: c }, drawing);
        this.whisker(at, l.y[i], error, y, "#1c2126", drawing);
        const text = short(l.y[i], 4);
        if (l.width > 0.7 || text.length * charWidth < l.width * room + 6) svg("text", { x: at, y: y.at(l.y[i] + error) - 4, "text-anchor": "middle", class: "mark-text" }, drawing, text);
      });
    }

    // drawBoxes draws every five points as a box with its whiskers.
    drawBoxes(l, x, y, drawing) {
      for (let i = 0; i + 5 <= l.y.length; i += 5) {
        const [low, bottom, median, top, high] = l.y.slice(i, i + 5).map((v) => y.at(v));
        const at = x.at(l.xs[i]), half = (x.at(l.xs[i] + l.width) - at) / 2;
        const c = colour(l.style);
        svg("rect", { class: "column", "data-series": l.s, x: at - half, width: 2 * half, y: top, height: Math.max(0, bottom - top), fill: c, "fill-opacity": 0.25, stroke: c }, drawing);
        svg("path", { d: `M${at} ${low}V${bottom}M${at} ${top}V${high}M${at - half / 2} ${low}h${half}M${at - half / 2} ${high}h${half}`, stroke: c, fill: "none" }, drawing);
        svg("path", { d: `M${at - half} ${median}h${2 * half}`, stroke: c, "stroke-width": 2, fill: "none" }, drawing);
      }
    }

    // The lower end of an error bar: not below the least value.
    lowEnd(v, e) {
      const least = this.data.least_y;
      return least !== undefined && v >= least ? Math.max(least, v - e) : v - e;
    }

    whisker(at, v, e, y, c, drawing) {
      if (!(e > 0)) return;
      const low = this.data.log_y ? Math.max(v - e, v / 10) : this.lowEnd(v, e);
      const a = y.at(low), b = y.at(v + e);
      svg("path", { d: `M${at} ${a}V${b}M${at - 3} ${a}h6M${at - 3} ${b}h6`, stroke: c, fill: "none" }, drawing);
    }

    drawLine(p, l, x, y, drawing) {
      const xs = l.xs;
      const style = this.series[l.s].style;
      const [from, to] = this.range(xs, x);
      let d = "", pen = "M";
      for (let i = from; i < to; i++) {
        if (l.y[i] === null || (this.data.log_y && l.y[i] <= 0)) { pen = "M"; continue; }
        d += pen + x.at(xs[i]).toFixed(1) + " " + y.at(l.y[i]).toFixed(1);
        pen = "L";
      }
      if (!l.loose) svg("path", { class: "line", "data-series": l.s, d, stroke: colour(style), "stroke-dasharray": dash(style) }, drawing);
      for (let i = from; i < to; i++) {
        if (l.y[i] === null || (this.data.log_y && l.y[i] <= 0)) continue;
        const at = x.at(xs[i]);
        if (l.dots) svg("circle", { cx: at, cy: y.at(l.y[i]), r: 2.8, fill: colour(style) }, drawing);
        if (l.e) this.whisker(at, l.y[i], l.e[i], y, colour(style), drawing);
      }
    }

    // range is the part of a line to draw: what is within the axis and one
    // point to either side.
    range(xs, x) {
      if (this.data.log_x || xs.length < 2) return [0, xs.length];
      const [a, b] = x.domain;
      let from = 0, to = xs.length;
      while (from + 1 < xs.length && xs[from + 1] < a) from++;
      while (to - 2 > from && xs[to - 2] > b) to--;
      return [from, to];
    }

    drawMarks(p, x, y, root, drawing) {
      const { left, right, top, bottom } = p.area;
      const taken = [], levels = []; // where texts stand
      for (const m of p.data.marks || []) {
        if (m.x !== undefined) {
          const at = x.at(m.x);
          if (at < left || at > right) continue;
          svg("line", { class: "mark", x1: at, x2: at, y1: top, y2: bottom }, drawing);
          const length = m.text.length * charWidth;
          const end = at + 4 + length > right;
          const from = end ? at - 4 - length : at + 4;
          let row = 0;
          while (taken.some((t) => t.row === row && from < t.to + 4 && from + length > t.from - 4)) row++;
          taken.push({ row, from, to: from + length });
          svg("text", { class: "mark-text", x: end ? at - 4 : at + 4, y: top + 10 + 13 * row, "text-anchor": end ? "end" : "start" }, root, m.text);
        } else {
          const at = y.at(m.y);
          if (!(at >= top && at <= bottom)) continue;
          svg("line", { class: "mark", x1: left, x2: right, y1: at, y2: at }, drawing);
          let text = at - 4 < top + 8 ? at + 12 : at - 4;
          if (levels.some((y) => Math.abs(y - text) < 12)) text = at + 12;
          levels.push(text);
          svg("text", { class: "mark-text", x: right - 3, y: text, "text-anchor": "end" }, root, m.text);
        }
      }
    }

    // What the reader does.

    listen(p) {
      const root = p.svg;
      let start = null;
      root.addEventListener("focus", () => this.ready());
      root.addEventListener("pointerenter", () => this.ready());
      const where = (e) => {
        const r = root.getBoundingClientRect();
        const k = this.panelWidth / r.width;
        return { x: (e.clientX - r.left) * k, y: (e.clientY - r.top) * k };
      };
      root.addEventListener("pointerdown", (e) => {
        if (e.button !== 0) return;
        start = where(e);
        root.setPointerCapture(e.pointerId);
      });
      root.addEventListener("pointermove", (e) => {
        const at = where(e);
        if (!start) {
          if (e.pointerType !== "touch") this.point(p, at);
          return;
        }
        const s = this.selection(p, start, at);
        this.leave(p);
        if (s) svg("rect", { class: "select", x: s.x0, y: s.y0, width: s.x1 - s.x0, height: s.y1 - s.y0 }, p.over);
      });
      root.addEventListener("pointerup", (e) => {
        if (!start) return;
        const at = where(e);
        const s = this.selection(p, start, at);
        start = null;
        if (!s) {
          this.point(p, at);
          return;
        }
        if (s.inX) this.zoomX(p.x.back(s.x0), p.x.back(s.x1));
        if (s.inY) this.ys.set(this.yKey(p), [p.y.back(s.y1), p.y.back(s.y0)]);
        this.draw();
      });
      root.addEventListener("pointercancel", () => { start = null; this.leave(p); });
      root.addEventListener("pointerleave", (e) => { if (!start && e.pointerType !== "touch") this.leave(p); }); // a finger leaves when it is lifted
      root.addEventListener("dblclick", () => this.reset());
      root.addEventListener("blur", () => this.leave(p));
      root.addEventListener("keydown", (e) => this.key(p, e));
    }

    // selection is what a drag spans: all of one direction if it goes along the
    // other, nothing if it is too short to be meant.
    selection(p, a, b) {
      const { left, right, top, bottom } = p.area;
      const dx = Math.abs(a.x - b.x), dy = Math.abs(a.y - b.y);
      const inX = !p.bars && dx > 8 && dx > dy / 4;
      const inY = dy > 8 && dy > dx / 4;
      if (!inX && !inY) return null;
      const hold = (v, low, high) => Math.min(Math.max(v, low), high);
      return {
        inX, inY,
        x0: inX ? hold(Math.min(a.x, b.x), left, right) : left, x1: inX ? hold(Math.max(a.x, b.x), left, right) : right,
        y0: inY ? hold(Math.min(a.y, b.y), top, bottom) : top, y1: inY ? hold(Math.max(a.y, b.y), top, bottom) : bottom,
      };
    }

    key(p, e) {
      const step = e.shiftKey ? 10 : 1;
      const around = p.hover === null || p.bars ? undefined : p.x.space(p.hover);
      switch (e.key) {
        case "ArrowRight": this.walk(p, step); break;
        case "ArrowLeft": this.walk(p, -step); break;
        case "+": case "=": if (!p.bars) this.scaleX(0.5, around); break;
        case "-": if (!p.bars) this.scaleX(2, around); break;
        case "0": this.reset(); break;
        case "Escape": this.leave(p); return;
        default: return;
      }
      e.preventDefault();
    }

    // walk moves the cross to another point, or bar.
    walk(p, step) {
      if (p.bars) {
        const n = p.slots.length;
        if (n) this.showBars(p, p.hover === null ? 0 : (p.hover + step + n) % n);
        return;
      }
      const [a, b] = p.x.domain;
      const all = new Set();
      for (const l of this.visible(p)) {
        for (const v of l.xs) {
          const s = p.x.space(v);
          if (s >= a && s <= b) all.add(v);
        }
      }
      const list = [...all].sort((u, v) => u - v);
      if (!list.length) return;
      let i = p.hover === null ? (step > 0 ? -1 : list.length) : list.findIndex((v) => v >= p.hover);
      i = Math.min(Math.max(i + step, 0), list.length - 1);
      this.showAt(p, list[i]);
    }

    point(p, at) {
      const { left, right, top, bottom } = p.area;
      if (at.x < left - 4 || at.x > right + 4 || at.y < top || at.y > bottom + 20) {
        this.leave(p);
        return;
      }
      if (p.bars) {
        const n = p.slots.length;
        if (n) this.showBars(p, Math.min(n - 1, Math.max(0, Math.floor(((at.x - left) / (right - left)) * n))));
        return;
      }
      let best = null, distance = Infinity;
      for (const l of this.visible(p)) {
        const v = l.xs[this.nearest(p, l, at.x)];
        const d = Math.abs(p.x.at(v) - at.x);
        if (d < distance) [best, distance] = [v, d];
      }
      if (best === null) this.leave(p);
      else this.showAt(p, best);
    }

    // nearest is the point of a line that is nearest to a pixel along x.
    nearest(p, l, pixel) {
      const xs = l.xs;
      let best = 0, distance = Infinity;
      for (let i = 0; i < xs.length; i++) {
        const d = Math.abs(p.x.at(xs[i]) - pixel);
        if (d < distance) [best, distance] = [i, d];
      }
      return best;
    }

    withUnit(v, unit) {
      const text = short(v, 5);
      return unit ? text + " " + unit : text;
    }

    showAt(p, v) {
      const pixel = p.x.at(v);
      const { left, right, top, bottom } = p.area;
      this.leave(p);
      if (pixel < left - 1 || pixel > right + 1) return;
      p.hover = v;
      svg("line", { class: "cross", x1: pixel, x2: pixel, y1: top, y2: bottom }, p.over);
      const rows = [];
      for (const l of this.visible(p)) {
        const i = this.nearest(p, l, pixel) + (l.shape === "boxes" ? 2 : 0); // the median
        const x = p.x.at(l.xs[i]);
        if (Math.abs(x - pixel) > 24 || l.y[i] === null) continue;
        const y = p.y.at(l.y[i]);
        if (y >= top - 1 && y <= bottom + 1) svg("circle", { cx: x, cy: y, r: 3.6, fill: colour(this.series[l.s].style), stroke: "#fff" }, p.over);
        rows.push({ s: l.s, y: l.y[i], e: l.e ? l.e[i] : 0 });
      }
      rows.sort((a, b) => b.y - a.y);
      const names = p.data.names;
      const head = names && names.length
        ? this.data.x_name + " " + names[Math.min(names.length - 1, Math.max(0, Math.round(v)))]
        : this.data.x_name + " " + this.withUnit(v, this.data.x_unit);
      this.tip(p, pixel, head, rows);
    }

    // showBars shows the values of the bars at a name.
    showBars(p, k) {
      this.leave(p);
      p.hover = k;
      const i = p.slots[k], rows = [];
      for (const l of this.visible(p)) {
        const at = l.xs.findIndex((x) => Math.round(x - (l.beside || 0)) === i);
        if (at >= 0) rows.push({ s: l.s, y: l.y[at], e: l.e ? l.e[at] : 0 });
      }
      const alone = rows.length === 1 && this.series[rows[0].s].name === p.data.names[i];
      this.tip(p, this.place(p, i)[0], alone ? p.data.title : p.data.names[i], rows);
    }

    tip(p, pixel, head, rows) {
      const box = (p.tip = html("div", "tip", p.box));
      box.setAttribute("role", "status");
      if (head) html("b", "", box, head);
      for (const r of rows) {
        const row = html("div", "", box);
        html("i", "", row).style.background = colour(this.series[r.s].style);
        row.append(this.series[r.s].name || this.data.y_label);
        html("span", "", row, this.withUnit(r.y, this.data.y_unit) + (r.e > 0 ? " ± " + short(r.e, 3) : ""));
      }
      const most = Math.max(0, p.box.clientWidth - box.offsetWidth);
      let left = pixel + 12;
      if (left > most) left = pixel - 12 - box.offsetWidth;
      box.style.left = Math.min(Math.max(left, 0), most) + "px";
      box.style.top = p.svg.getBoundingClientRect().top - p.box.getBoundingClientRect().top + 10 + "px";
    }

    leave(p) {
      if (p.over) p.over.textContent = "";
      if (p.tip) p.tip.remove();
      p.tip = null;
      p.hover = null;
    }

    print(on) {
      this.printing = on;
      waiting.delete(this);
      this.width = 0;
      if (on) this.fit(printWidth, 210);
      else this.fit(this.bench.clientWidth, 250);
    }
  }

  // A Heat is a network with a slider over time. What is on the page already is
  // the mean.
  class Heat {
    constructor(figure) {
      this.data = JSON.parse(figure.querySelector("script").textContent);
      const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      this.mean = bytes(this.data.mean);
      this.steps = bytes(this.data.steps);
      this.paths = new Map();
      for (const p of figure.querySelectorAll("path[data-port]")) {
        const title = p.querySelector("title");
        this.paths.set(Number(p.dataset.port), { p, title, name: title.textContent.slice(0, title.textContent.lastIndexOf(": ")) });
      }
      this.when = figure.querySelector(".when");
      this.busiest = figure.querySelector(".busiest");
      this.button = figure.querySelector(".slide button");
      this.slider = figure.querySelector(".slide input");
      this.slider.max = this.data.times.length - 2;
      this.whole = this.when.textContent;
      this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
      this.button.addEventListener("click", () => this.show(null));
      figure.querySelector(".slide").hidden = false;
      this.slider.setAttribute("aria-valuetext", this.whole);
    }

    // colour is that of half per cents.
    colour(half) {
      const stops = this.data.stops;
      const at = (half / 200) * (stops.length - 1);
      const i = Math.min(Math.floor(at), stops.length - 2);
      const rgb = stops[i].map((v, k) => Math.floor(v + (at - i) * (stops[i + 1][k] - v) + 0.5));
      return "#" + rgb.map((v) => v.toString(16).padStart(2, "0")).join("");
    }

    // show paints a step, or the mean.
    show(step) {
      const n = this.data.ports;
      const shares = step === null ? this.mean : this.steps.subarray(step * n, (step + 1) * n);
      const none = 255;
      for (const [i, port] of this.paths) {
        port.p.setAttribute("stroke", shares[i] === none ? this.data.none : this.colour(shares[i]));
        port.title.textContent = port.name + ": " + (shares[i] === none ? "not recorded" : shares[i] / 2 + " %");
      }
      const t = this.data.times;
      this.when.textContent = step === null ? this.whole : `${short(t[step], 5)} to ${short(t[step + 1], 5)} ${this.data.unit}`;
      this.button.setAttribute("aria-pressed", String(step === null));
      this.slider.setAttribute("aria-valuetext", this.when.textContent);
      const order = [...this.paths.keys()].filter((i) => shares[i] !== none).sort((a, b) => shares[b] - shares[a] || a - b);
      this.busiest.textContent = order.slice(0, 5).map((i) => `${this.paths.get(i).name} ${shares[i] / 2} %`).join(", ");
    }
  }

  document.querySelectorAll("figure.map").forEach((f) => new Heat(f));
  const charts = [...document.querySelectorAll("figure.chart")].map((f) => new Chart(f));

  // On paper the figures are laid out for its width.
  window.addEventListener("beforeprint", () => charts.forEach((c) => c.print(true)));
  window.addEventListener("afterprint", () => charts.forEach((c) => c.print(false)));

  const tools = document.querySelector(".tools");
  tools.hidden = false;
  document.getElementById("how").hidden = charts.length === 0;
  for (const b of tools.querySelectorAll("[data-show]")) {
    b.addEventListener("click", () => {
      document.body.dataset.show = b.dataset.show;
      for (const o of tools.querySelectorAll("[data-show]")) o.setAttribute("aria-pressed", String(o === b));
    });
  }
  for (const b of tools.querySelectorAll("[data-details]")) {
    b.addEventListener("click", () => {
      for (const d of document.querySelectorAll("details")) d.open = b.dataset.details === "open";
    });
  }
  for (const b of document.querySelectorAll(".copy")) {
    if (!navigator.clipboard) continue; // not where the page is a file, in some browsers
    b.hidden = false;
    b.addEventListener("click", () => {
      navigator.clipboard.writeText(b.previousElementSibling.textContent).then(
        () => { b.textContent = "copied"; },
        () => { b.textContent = "not allowed"; });
    });
  }
})();
