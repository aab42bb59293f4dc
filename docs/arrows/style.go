package main

// style defines the colors. The page has its own background, since the browser's color scheme
// may differ from that of the site that shows the picture.
const style = `<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.label { text-anchor: middle; fill: #1f2328 }
.caption { font: 600 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
.title { font: 600 20px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.legend { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #59636e }
.folder { font-weight: 400; fill-opacity: .75 }
.page { fill: #ffffff }
.group { stroke-width: 1; fill-opacity: .08; stroke-opacity: .35 }
.box { fill: #ffffff; stroke-width: 1.2 }
.line { fill: none; stroke-width: 1.3; stroke-opacity: .75 }
.app .group, .app .head, .app .caption { fill: #1a7f37 }
.app .group, .app .box, .app .line { stroke: #1a7f37 }
.words .group, .words .head, .words .caption { fill: #0969da }
.words .group, .words .box, .words .line { stroke: #0969da }
.entry .group, .entry .head, .entry .caption { fill: #8250df }
.entry .group, .entry .box, .entry .line { stroke: #8250df }
.engine .group, .engine .head, .engine .caption { fill: #bc4c00 }
.engine .group, .engine .box, .engine .line { stroke: #bc4c00 }
.command .group, .command .head, .command .caption { fill: #bf3989 }
.command .group, .command .box, .command .line { stroke: #bf3989 }
.ground .group, .ground .head, .ground .caption { fill: #59636e }
.ground .group, .ground .box, .ground .line { stroke: #59636e }
@media (prefers-color-scheme: dark) {
.label, .title { fill: #e6edf3 }
.legend { fill: #9198a1 }
.page { fill: #0d1117 }
.group { fill-opacity: .12 }
.box { fill: #161b22 }
.app .group, .app .head, .app .caption { fill: #3fb950 }
.app .group, .app .box, .app .line { stroke: #3fb950 }
.words .group, .words .head, .words .caption { fill: #58a6ff }
.words .group, .words .box, .words .line { stroke: #58a6ff }
.entry .group, .entry .head, .entry .caption { fill: #bc8cff }
.entry .group, .entry .box, .entry .line { stroke: #bc8cff }
.engine .group, .engine .head, .engine .caption { fill: #f0883e }
.engine .group, .engine .box, .engine .line { stroke: #f0883e }
.command .group, .command .head, .command .caption { fill: #f778ba }
.command .group, .command .box, .command .line { stroke: #f778ba }
.ground .group, .ground .head, .ground .caption { fill: #9198a1 }
.ground .group, .ground .box, .ground .line { stroke: #9198a1 }
}
</style>
`
