// Markdown as nodes. Nothing of a text is ever read as HTML.

// The lengths of links are bounded, so that a text of brackets takes no quadratic time.
function inline(text, into) {
  const parts = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)|\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s)]{1,2000})\)|(https?:\/\/[^\s<>"')\]]*[^\s<>"')\].,:;!?])/g;
  let from = 0;
  for (let part; (part = parts.exec(text)); from = parts.lastIndex) {
    into.append(text.slice(from, part.index));
    const [, code, bold, slanted, label, target, address] = part;
    if (code !== undefined) into.append(made("code", code));
    else if (bold !== undefined) into.append(made("b", bold));
    else if (slanted !== undefined) into.append(made("i", slanted));
    else {
      const link = made("a", label ?? address);
      link.href = target ?? address;
      link.rel = "noreferrer noopener";
      if (label !== undefined) link.title = target;
      into.append(link);
    }
  }
  into.append(text.slice(from));
  return into;
}

function markdown(text) {
  const block = made("div", null, "text");
  const lines = text.split("\n");
  let list = null;
  let paragraph = [];
  const end = () => {
    if (paragraph.length) block.append(inline(paragraph.join("\n"), made("p")));
    paragraph = [];
    list = null;
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    const fence = /^\s{0,3}(`{3,}|~{3,})/.exec(line);
    if (fence) {
      end();
      const code = [];
      while (++at < lines.length && !lines[at].trim().startsWith(fence[1])) code.push(lines[at]);
      block.append(made("pre", code.join("\n")));
      continue;
    }
    const heading = /^#{1,6}\s+(.*)/.exec(line);
    const item = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)/.exec(line);
    if (heading) {
      end();
      block.append(inline(heading[1], made("b", null, "heading")));
    } else if (item) {
      const kind = item[1] === undefined ? "ul" : "ol";
      if (paragraph.length || !list || list.localName !== kind) {
        end();
        list = made(kind);
        if (item[1] !== undefined) list.start = Number(item[1]);
        block.append(list);
      }
      list.append(inline(item[2], made("li")));
    } else if (!line.trim()) end();
    else if (list && /^\s/.test(line)) inline("\n" + line.trim(), list.lastChild);
    else {
      if (list) end();
      paragraph.push(line);
    }
  }
  end();
  return block;
}
