// Charts that can be zoomed: each figure's drawing is replaced by one of uPlot's, with its data
// from the element `data`.  Everything works by keyboard; without a script the drawings remain.
(function () {
    "use strict";

    const charts = JSON.parse(document.getElementById("data").textContent);
    const plots = new Map();
    const numbers = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, useGrouping: false });
    const shown = (value) => (value == null ? "-" : numbers.format(value));
    const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const element = (name, properties, ...children) => {
        const made = Object.assign(document.createElement(name), properties);
        made.append(...children);
        return made;
    };

    function columns(chart) {
        const size = Math.max(0, ...chart.lines.map((line) => line.values.length));
        const times = Array.from({ length: size }, (_, number) =>
            Math.min(chart.end, (number + 1) * chart.step) / 1000);
        const values = chart.lines.map((line) =>
            line.values.map((value) => (value == null ? null : value / 1000)));
        return [times, ...values];
    }

    function between(low, most) {
        const room = (most == null ? 0 : most) - low;
        return [low, low + (room > 0 ? room * 1.08 : 1)];
    }

    function looks(line, number) {
        return {
            label: line.name,
            stroke: line.dashed ? color("--soft") : color(`--s${number % 8}`),
            width: line.dashed ? 1.25 : 1.75,
            dash: line.dashed ? [5, 4] : number > 7 ? [10, 3] : undefined,
            points: { show: false },
            spanGaps: false,
        };
    }

    function axis(label, side) {
        const font = "12px system-ui, 'DejaVu Sans', sans-serif";
        return {
            side, label, font, labelFont: font, labelSize: 18,
            stroke: color("--soft"),
            grid: { stroke: color("--grid"), width: 1 },
            ticks: { show: false },
            values: (_, marks) => marks.map(shown),
            size: side === 3 ? 48 : 28,
        };
    }

    function draw(chart) {
        const place = document.getElementById(`plot-${chart.key}`);
        const figure = place.closest("figure");
        const before = plots.get(chart.key);
        const hidden = before ? before.plot.series.slice(1).map((line) => !line.show) : [];
        if (before) before.plot.destroy();
        figure.classList.add("alive");
        place.hidden = false;
        const plot = new uPlot({
            width: place.clientWidth || 560,
            height: 240,
            legend: { show: false },
            cursor: {
                y: false,
                points: { size: 6 },
                drag: { x: true, y: false, dist: 5 },
                sync: { key: chart.key.split("-")[0], setSeries: false },
            },
            scales: { x: { time: false }, y: { range: (_, least, most) => between(chart.low / 1000, most) } },
            axes: [axis("s", 2), axis(chart.unit, 3)],
            series: [{}, ...chart.lines.map((line, number) =>
                Object.assign(looks(line, number), { show: !hidden[number] }))],
            hooks: {
                setCursor: [(self) => follow(figure, self)],
                setScale: [(self, name) => { if (name === "x") mark(figure, self); }],
            },
        }, columns(chart), place);
        plots.set(chart.key, { plot, place, figure, chart });
    }

    function whole(plot) {
        const times = plot.data[0];
        return { min: times[0], max: times[times.length - 1] };
    }

    function mark(figure, plot) {
        const button = figure.querySelector(".everything");
        const all = whole(plot), x = plot.scales.x;
        const zoomed = x.min > all.min || x.max < all.max;
        if (button && zoomed === button.hidden) button.hidden = !zoomed;
        Object.assign(figure.dataset, { from: shown(x.min), to: shown(x.max) });
    }

    function follow(figure, plot) {
        const at = plot.cursor.idx;
        figure.querySelectorAll(".legend output").forEach((output, number) => {
            output.value = at == null ? "" : shown(plot.data[number + 1][at]);
        });
    }

    function legend({ figure, chart }) {
        figure.querySelectorAll(".legend li").forEach((item, number) => {
            const button = element("button", { type: "button" }, ...item.childNodes);
            button.setAttribute("aria-pressed", "true");
            button.addEventListener("click", () => {
                const on = button.getAttribute("aria-pressed") !== "true";
                button.setAttribute("aria-pressed", String(on));
                plots.get(chart.key).plot.setSeries(number + 1, { show: on });
            });
            item.append(button, element("output"));
        });
        const everything = element("button", {
            type: "button", className: "everything", textContent: "Show everything", hidden: true,
        });
        everything.addEventListener("click", () => {
            zoom(chart.key, Infinity);
            plots.get(chart.key).place.focus();
        });
        figure.append(everything);
    }

    const together = (one, other) => one.key.split("-")[0] === other.key.split("-")[0];

    function tell(figure, words) {
        figure.querySelector(".said").textContent = words;
    }

    function say({ figure, plot, chart }) {
        const at = plot.cursor.idx;
        if (at == null) return;
        const values = chart.lines
            .filter((_, number) => plot.series[number + 1].show)
            .map((line) => `${line.name} ${shown(plot.data[chart.lines.indexOf(line) + 1][at])}`);
        tell(figure, `${shown(plot.data[0][at])} s: ${values.join(", ")} ${chart.unit}`);
    }

    function zoom(key, factor) {
        const { plot, chart, figure } = plots.get(key);
        const x = plot.scales.x, all = whole(plot);
        const at = plot.cursor.idx == null ? (x.min + x.max) / 2 : plot.data[0][plot.cursor.idx];
        const width = Math.max(chart.step / 250, (x.max - x.min) * factor);
        const min = Math.max(all.min, Math.min(at - width / 2, all.max - width));
        const range = { min, max: Math.min(all.max, min + width) };
        plots.forEach((one) => {
            if (together(one.chart, chart)) one.plot.setScale("x", range);
        });
        tell(figure, `showing ${shown(range.min)} to ${shown(range.max)} s`);
    }

    function step(key, by) {
        const one = plots.get(key), { plot } = one, times = plot.data[0], x = plot.scales.x;
        let at = plot.cursor.idx == null ? (by > 0 ? -1 : times.length) : plot.cursor.idx;
        at = Math.max(0, Math.min(times.length - 1, at + by));
        if (times[at] < x.min || times[at] > x.max) return;
        plot.setCursor({ left: plot.valToPos(times[at], "x"), top: 0 });
        say(one);
    }

    const KEYS = {
        ArrowLeft: (key) => step(key, -1),
        ArrowRight: (key) => step(key, 1),
        PageUp: (key) => step(key, -10),
        PageDown: (key) => step(key, 10),
        "+": (key) => zoom(key, 1 / 2),
        "=": (key) => zoom(key, 1 / 2),
        "-": (key) => zoom(key, 2),
        0: (key) => zoom(key, Infinity),
        Escape: (key) => zoom(key, Infinity),
    };

    function table({ figure, chart }) {
        const details = figure.querySelector(".numbers");
        details.addEventListener("toggle", () => {
            if (!details.open || details.querySelector(".every")) return;
            const [times, ...values] = columns(chart);
            const cell = (name, text) => element(name, { textContent: text });
            const head = element("tr", {}, cell("th", "s"), ...chart.lines.map((line) => cell("th", `${line.name}, ${chart.unit}`)));
            const rows = times.map((time, at) => element("tr", {},
                cell("th", shown(time)), ...values.map((line) => cell("td", shown(line[at])))));
            const every = element("table", { className: "every" },
                element("caption", { textContent: "Every interval" }),
                element("thead", {}, head), element("tbody", {}, ...rows));
            details.querySelector(".wide").append(every);
        });
    }

    charts.forEach((chart) => {
        draw(chart);
        const one = plots.get(chart.key);
        legend(one);
        table(one);
        one.place.addEventListener("keydown", (event) => {
            const act = KEYS[event.key];
            if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
            event.preventDefault();
            act(chart.key);
        });
    });
    new ResizeObserver(() => {
        plots.forEach(({ plot, place }) => {
            if (place.clientWidth && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: 240 });
        });
    }).observe(document.getElementById("main"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(draw));
    document.documentElement.dataset.drawn = String(plots.size);
}());
