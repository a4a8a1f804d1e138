// SPDX-License-Identifier: MIT

import JobGraphs

extension HTMLReport {
    static let style = """
        :root {
          --paper: #fff; --panel: #f6f7f9; --ink: #14171f; --faint: #667085; --edge: #e3e6eb; --grid: #eceef2;
          --tint: #fff6e0; --mark: #f5a30a; --good: #107a4d; --bad: #d1293d; --calm: #667085; --cached: #1a66c2;
          --queued: #c3c9d4; --backoff: #98a1b2; --connecting: #ef6aa0; --sending: #8a5cf6; --waiting: #3f83f8;
          --receiving: #12b886; --blocked: #e0a458; --authenticating: #b7791f; --decoding: #c03bd6; --running: #0ea5b7;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #0f1218; --panel: #171b23; --ink: #e8ebf1; --faint: #97a1b3; --edge: #2a303c; --grid: #1f2530;
            --tint: #2a2210; --mark: #f5b13d; --good: #4cc38a; --bad: #ff6b7a; --calm: #97a1b3; --cached: #6cb2ff;
            --queued: #4a5366; --backoff: #6b7690; --connecting: #f080ae; --sending: #9f7afc; --waiting: #5b97fa;
            --receiving: #2fcb9a; --blocked: #e8b878; --authenticating: #d69e2e; --decoding: #d263e4; --running: #2bb9c9;
          }
        }
        * { box-sizing: border-box }
        body {
          margin: 0 auto; padding: 2rem clamp(1rem, 3vw, 3rem) 6rem; max-width: 110rem; background: var(--paper);
          color: var(--ink); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
        }
        h1 { margin: 0; font-size: 1.6rem; line-height: 1.3; overflow-wrap: anywhere }
        h2 { margin: 0 0 .3rem; font-size: .8rem; color: var(--faint); font-weight: 600 }
        header p { margin: .2rem 0 0; color: var(--faint); overflow-wrap: anywhere }
        .error, header .error { margin: 0; color: var(--bad); font-size: .85rem; white-space: pre-wrap;
          overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4;
          overflow: hidden }
        header .error { margin-top: .6rem; font-size: 1rem }
        .node .error { grid-column: 1 / -1; margin: 0 0 .35rem calc(2.15rem + var(--depth, 0) * 1.1rem) }
        .badge {
          display: inline-block; padding: .1em .7em; border-radius: 2em; font-size: .55em; vertical-align: .25em;
          color: var(--paper); background: var(--calm);
        }
        .badge.success { background: var(--good) }
        .badge.failure, .badge.timedOut { background: var(--bad) }
        .figures { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.4rem 0 }
        .figure { padding: .5rem 1rem; border: 1px solid var(--edge); border-radius: .6rem; background: var(--panel) }
        .figure b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; font-weight: 650 }
        .figure span { color: var(--faint); font-size: .8rem }
        .success b, .success .glyph { color: var(--good) }
        .failure b, .failure .glyph { color: var(--bad) }
        .fromCache b, .fromCache .glyph, .resumed b, .resumed .glyph { color: var(--cached) }
        .skipped b, .skipped .glyph, .notRun b, .notRun .glyph { color: var(--calm) }
        .cancelled b, .cancelled .glyph, .compensated b, .compensated .glyph { color: var(--mark) }
        .path p { margin: 0 0 .6rem; overflow-wrap: anywhere; font-weight: 600 }
        .path p i { color: var(--mark); font-style: normal }
        .share { display: flex; height: .7rem; border-radius: .35rem; overflow: hidden; background: var(--grid) }
        .legend { display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; margin: .7rem 0 0; padding: 0; list-style: none;
          color: var(--faint); font-size: .85rem }
        .legend i, dt i { display: inline-block; width: .75em; height: .75em; margin-right: .45em; border-radius: .2em }
        .legend b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums }
        .legend .mark { height: .25em; vertical-align: .25em }
        .queued { background: repeating-linear-gradient(-45deg, var(--queued) 0 3px, transparent 3px 6px) var(--grid) }
        .backoff { background: repeating-linear-gradient(45deg, var(--backoff) 0 2px, transparent 2px 6px) var(--grid) }
        .authenticating { background: var(--authenticating) }
        .connecting { background: var(--connecting) }
        .other { background: var(--grid) }
        .sending { background: var(--sending) }
        .waiting { background: var(--waiting) }
        .blocked { background: var(--blocked) }
        .receiving { background: var(--receiving) }
        .decoding { background: var(--decoding) }
        .running { background: var(--running) }
        .mark { background: var(--mark) }
        .choice { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; margin: 1.6rem 0 .6rem; font-size: .9rem }
        .choice label { cursor: pointer }
        .choice input { accent-color: var(--mark); margin: 0 .3em 0 0; vertical-align: -.1em }
        main { border: 1px solid var(--edge); border-radius: .6rem; margin-top: 1.2rem }
        .choice + main { margin-top: 0 }
        .line {
          display: grid; grid-template-columns: minmax(9rem, 22rem) 5.2rem minmax(8rem, 1fr); align-items: center;
          position: relative; min-height: 1.9rem; padding-right: .9rem; border-top: 1px solid var(--grid);
          border-left: 3px solid transparent;
        }
        .node { content-visibility: auto; contain-intrinsic-size: auto 1.9rem; cursor: default }
        .node:hover, .node:focus { content-visibility: visible }
        .axis {
          position: sticky; top: 0; z-index: 3; border-top: 0; border-bottom: 1px solid var(--edge); color: var(--faint);
          background: var(--panel); font-size: .8rem; border-radius: .6rem .6rem 0 0;
        }
        .name { display: flex; align-items: baseline; gap: .45em; min-width: 0; padding: 0 .6rem;
          padding-left: calc(.7rem + var(--depth, 0) * 1.1rem) }
        .name bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
        .name .place { flex: none; margin-left: -.45em }
        .name .label { flex-shrink: 2; color: var(--faint) }
        .name small { color: var(--faint); font-size: .75rem }
        .name em { color: var(--mark); font-style: normal; font-size: .8rem; font-weight: 600 }
        .glyph { flex: 0 0 1em; font-style: normal; font-weight: 700; text-align: center }
        .took { padding-right: .9rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
          color: var(--faint); font-size: .85rem }
        .track {
          position: relative; align-self: stretch; min-height: 1.85rem;
          background: linear-gradient(90deg, var(--grid) 1px, transparent 1px) 0 0 / var(--step, 100%) 100%;
        }
        .track > i { position: absolute; top: .5rem; height: .85rem; min-width: 2px; border-radius: 2px }
        .track > .around { top: .55rem; height: .55rem; border: 2px solid var(--faint); border-bottom: 0; border-radius: 4px 4px 0 0 }
        .track > .mark { top: 1.45rem; height: .2rem; border-radius: 0 }
        .track > b { position: absolute; top: .3rem; padding-left: .35rem; font-size: .8rem }
        .axis .track { background: none }
        .axis .track span { position: absolute; top: .35rem; padding-left: .3rem; border-left: 1px solid var(--edge);
          white-space: nowrap; font-variant-numeric: tabular-nums }
        .none { position: absolute; top: .3rem; left: .4rem; color: var(--faint); font-size: .85rem }
        .critical { border-left-color: var(--mark); background: var(--tint) }
        .critical .name bdi { font-weight: 650 }
        .critical .took { color: var(--ink) }
        .critical .around { border-color: var(--mark) }
        .skipped .name bdi, .notRun .name bdi { color: var(--faint) }
        .node:hover, .node:focus { z-index: 2; outline: 0; background: var(--panel) }
        .node:focus { box-shadow: inset 0 0 0 2px var(--mark) }
        .facts { display: none; grid-column: 1 / -1 }
        .node:hover .facts {
          display: block; position: absolute; z-index: 4; top: 100%; left: min(27.4rem, 40%); max-width: min(44rem, 58%);
          padding: .7rem 1rem; pointer-events: none; border: 1px solid var(--edge); border-radius: .5rem;
          background: var(--paper); box-shadow: 0 .6rem 2rem #0004;
        }
        .node:focus .facts { display: block; position: static; max-width: none; margin: 0 0 .7rem; padding: .4rem 1.9rem;
          pointer-events: auto; border: 0; background: none; box-shadow: none }
        .facts dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem 1.1rem; margin: 0; font-size: .85rem }
        .facts dt { color: var(--faint) }
        .facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums }
        .facts pre { margin: .6rem 0 0; max-height: 16rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
          color: var(--bad); font: .8rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
        .empty { margin: 0; padding: 1.2rem; color: var(--faint) }
        body:has(#show-critical:checked) .node:not(.critical),
        body:has(#show-problems:checked) .node:is(.success, .fromCache, .resumed),
        body:has(#show-top:checked) .node.inner { display: none }
        main > .line:last-child { border-radius: 0 0 .6rem .6rem }
        @media (max-width: 44rem) {
          .line { grid-template-columns: minmax(6rem, 38%) minmax(6rem, 1fr) }
          .took { display: none }
          .name small { display: none }
          .axis .track span:not(:nth-child(4n+1)) { font-size: 0 }
          .node:hover .facts { left: 1rem; max-width: calc(100% - 2rem) }
        }
        @media print { body { padding: 0; max-width: none } .choice { display: none } .axis { position: static } }
        """
}
