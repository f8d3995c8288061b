/** Create elements without innerHTML, and update the page to the wanted elements. */

const SVG = new Set(["svg", "line", "polyline", "circle", "text"]);

/** h("button.key", {"data-do": "leave"}, "Leave"): strings become text, never markup; null and false are left out. */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = SVG.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key === "style") element.style.cssText = value; // the attribute itself is barred by the page's policy
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** Makes `place` hold `wanted`, keeping elements that are alike: focus, scroll and a reader's place stay. */
export function show(place, ...wanted) {
  children(place, wanted.flat(Infinity).filter(Boolean));
}

function children(place, wanted) {
  wanted.forEach((node, i) => {
    const old = place.childNodes[i];
    if (!old) place.append(node);
    else if (!alike(old, node)) old.replaceWith(node);
    else if (node.nodeType === Node.TEXT_NODE) {
      if (old.data !== node.data) old.data = node.data;
    } else {
      attributes(old, node);
      children(old, [...node.childNodes]);
    }
  });
  while (place.childNodes.length > wanted.length) place.lastChild.remove();
}

const alike = (a, b) => a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key;

function attributes(old, node) {
  for (const { name, value } of node.attributes) {
    if (old.getAttribute(name) === value) continue;
    if (name === "style") old.style.cssText = value;
    else old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!node.hasAttribute(name)) old.removeAttribute(name);
  }
}
