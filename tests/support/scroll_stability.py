"""Scroll stability: whether rows stay in place, measured inside a page, in any engine."""

from tertulia import actions, storage
from tertulia.database.tx import Tx
from tertulia.domain.messages.message import Draft

# Scrolls up and down in steps, and checks after each that the visible rows moved by exactly that
# step; in between something above the view grows, shrinks, or is redrawn. Returns the largest jump
# in pixels, the number of steps that could be judged, and the largest number of rows in the
# document.
MEASURE = """
async ({ steps, growths }) => {
  const scroller = document.querySelector(".main > .scroll");
  const feed = scroller.querySelector("[role=feed]");
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const top = (row) => row.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  const inView = () => [...feed.querySelectorAll("article")].find((row) => top(row) >= 60);
  const jumps = [];
  let judged = 0, most = 0;
  const settle = async () => { await frame(); await frame(); };
  await settle();
  for (let step = 0; step < steps; step++) {
    const row = inView();
    const before = row ? top(row) : 0;
    const start = scroller.scrollTop;
    const by = (Math.floor(step / (steps / 4)) % 2 ? 1 : -1) * (90 + (step * 37) % 160);
    scroller.scrollTop += by;
    const went = scroller.scrollTop - start;
    await settle();
    most = Math.max(most, feed.querySelectorAll("article").length);
    if (row && row.isConnected) {
      judged++;
      const off = top(row) - (before - went);
      if (Math.abs(off) > 1) jumps.push({ step, off, went, scrollTop: scroller.scrollTop });
    }
    if (growths && step % Math.floor(steps / growths) === 0) {
      const isAbove = (each) => top(each) + each.offsetHeight < 0;
      const above = [...feed.querySelectorAll("article")].filter(isAbove).slice(-3)[0];
      const held = inView();
      if (!above || !held) continue;
      const was = top(held);
      const swelling = above.querySelector(".swelling") ?? document.createElement("div");
      swelling.className = "swelling";
      swelling.style.setProperty("height", `${20 + (step * 13) % 140}px`);
      above.append(swelling);
      await settle();
      judged++;
      const off = top(held) - was;
      if (held.isConnected && Math.abs(off) > 1) jumps.push({ step, growth: off });
    }
  }
  return { jumps: jumps.slice(0, 10), count: jumps.length, judged, most };
}
"""


def write_story(tx: Tx, senders: list[int], channel: str, topic: str, count: int) -> list[int]:
    """Messages of all lengths in turn; returns their ids."""
    people = [storage.people.users.find(tx, id) for id in senders]
    found = []
    for number in range(count):
        sender = people[number * 7 // 3 % len(people)]
        assert sender is not None
        words = " ".join(["and then"] * (1 + number * 31 % 60))
        draft = Draft(f"{number}", f"<p>{number}: {words}</p>", 0, "test", False)
        sent = actions.messages.send.to_channel(tx, sender, channel, topic, draft)
        found.append(sent.message_id)
    return found
