"""Whether text stands out from what is behind it (WCAG 2, 1.4.3)."""

from typing import Any

from tests.browser.browser import Browser

LEAST = 4.5
"""Contrast of text that can be read: level AA."""
CONTRASTS = """
const luminance = (color) => {
    const [red, green, blue] = color.map((one) => {
        const share = one / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const parts = (text) => text.match(/[\\d.]+/g).map(Number);
const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
        const color = parts(getComputedStyle(one).backgroundColor);
        if (color.length < 4 || color[3] > 0) return color.slice(0, 3);
    }
    return [255, 255, 255];
};
const found = [];
const walker = document.createTreeWalker(document.getElementById("main"), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const color = element.closest("svg") ? style.fill : style.color;
    const [one, other] = [luminance(parts(color).slice(0, 3)), luminance(ground(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([ratio, walker.currentNode.data.trim().slice(0, 40)]);
}
return found;
"""


def contrasts(chromium: Browser) -> list[Any]:
    """Return the contrast of every piece of text that is shown, and its beginning."""
    return chromium.run(CONTRASTS)
