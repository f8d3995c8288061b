/** Sound and vibration for what happens, without any file: short tones of the browser's own synthesiser. */

const TILE_S = 0.22;

// By kind: tones as [Hz, start in s, length in s], and a pattern of vibration in ms.
const SIGNALS = {
  row: ({ row }) => [row.marks.map((mark, i) => [{ correct: 660, present: 520, absent: 330 }[mark], i * TILE_S + 0.2, 0.09]), null],
  skip: () => [[[260, 0, 0.15]], null],
  won: () => [[[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.12], [1047, 0.36, 0.3]], [40, 60, 40, 60, 120]],
  lost: () => [[[392, 0, 0.18], [330, 0.18, 0.18], [262, 0.36, 0.35]], [250]],
  drawn: () => [[[392, 0, 0.18], [392, 0.22, 0.25]], [120, 80, 120]],
  turn: ({ mine }) => (mine ? [[[587, 0, 0.1], [880, 0.1, 0.16]], [50]] : null),
  soon: () => [[[880, 0, 0.08], [880, 0.16, 0.08]], [30, 60, 30]],
  round: () => [[[440, 0, 0.1], [554, 0.1, 0.1], [659, 0.2, 0.2]], null],
  refused: () => [[[200, 0, 0.12]], [60, 40, 60]],
  over: () => [[[523, 0, 0.15], [659, 0.15, 0.15], [784, 0.3, 0.4]], [200]],
};

let audio = null;

/** Play what fits a happening, later by `wait` ms. */
export function signal(happening, settings, wait = 0) {
  const kind = happening.kind === "ended" ? happening.outcome : happening.kind;
  const [tones, pattern] = SIGNALS[kind]?.(happening) ?? [];
  try {
    if (settings.sound && tones) play(tones, wait / 1000);
    if (settings.vibration && pattern && navigator.userActivation?.hasBeenActive !== false) {
      setTimeout(() => navigator.vibrate?.(pattern), wait);
    }
  } catch { /* a device without them is no reason to stop */ }
}

function play(tones, wait) {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  for (const [hertz, start, length] of tones) {
    const at = audio.currentTime + wait + start;
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: hertz });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0, at);
    volume.gain.linearRampToValueAtTime(0.12, at + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length + 0.02);
  }
}
