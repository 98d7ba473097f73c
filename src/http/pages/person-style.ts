/** The style of the pages that people see while they connect a service. `--brand` is replaced by the app's colour. */
export const PERSON_STYLE = `
:root{color-scheme:light dark;--ink:#16202a;--soft:#526070;--line:#dfe5eb;--paper:#fff;--ground:#f4f6f8;--brand:#0b66c3;--good:#08663d;--goodbg:#e3f4ec;--warn:#9a4a06;--warnbg:#fdf3e4}
@media (prefers-color-scheme:dark){:root{--ink:#e8eef4;--soft:#a5b4c2;--line:#2d3a47;--paper:#18212b;--ground:#10171e;--brand:#6db3ff;--good:#5fdba6;--goodbg:#12332a;--warn:#f3b562;--warnbg:#33281a}}
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
main{max-width:34rem;margin:0 auto;padding:2rem 1rem 3rem}
.app{display:flex;align-items:center;gap:.75rem;margin:0 0 1.25rem;font-weight:650}
.app img,.app .tile{width:48px;height:48px;border-radius:12px;flex:none}.app img{object-fit:contain;background:#fff;border:1px solid var(--line)}.app .tile{background:var(--brand);color:var(--paper);font-size:1.35rem}
h1{font-size:1.55rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .6rem}h2{font-size:1rem;margin:1.5rem 0 .6rem}
p{margin:.6rem 0}a{color:var(--brand)}.soft{color:var(--soft);font-size:.925rem}
.card{background:var(--paper);border:1px solid var(--line);border-radius:16px;padding:1.25rem 1.35rem;margin:1.1rem 0;box-shadow:0 1px 2px #0f172a0d,0 8px 24px #0f172a0f}.card>:first-child{margin-top:0}.card>:last-child{margin-bottom:0}
.tile{display:grid;place-items:center;width:40px;height:40px;border-radius:10px;flex:none;font-weight:700;font-size:1.1rem;color:#fff;line-height:1}
img.tile{border:1px solid var(--line)}
.services{list-style:none;margin:0;padding:0;background:var(--paper);border:1px solid var(--line);border-radius:16px;overflow:hidden;box-shadow:0 1px 2px #0f172a0d,0 8px 24px #0f172a0f}
.services li{position:relative;display:flex;align-items:center;gap:.85rem;padding:.8rem 1rem;min-height:64px}.services li+li{border-top:1px solid var(--line)}.services li>div{flex:1;min-width:0}
.services p{margin:0;color:var(--soft);font-size:.85rem;line-height:1.4}.services p::first-letter{text-transform:uppercase}
.services a,.services button{all:unset;cursor:pointer;font-weight:600}.services a::after,.services button::after{content:"";position:absolute;inset:0}
.services li:hover{background:var(--ground)}.services :focus-visible::after{outline:3px solid var(--brand);outline-offset:-3px;border-radius:14px}
.go{flex:none;width:9px;height:9px;border:solid var(--soft);border-width:2px 2px 0 0;transform:rotate(45deg)}[dir=rtl] .go{transform:rotate(-135deg)}.leave{margin:1.25rem 0 0}
.done{display:inline-block;background:var(--goodbg);color:var(--good);font-size:.78rem;font-weight:650;border-radius:99px;padding:.05rem .6rem;margin-inline-start:.5rem;white-space:nowrap}
.find{display:flex;gap:.5rem;margin:1rem 0}.find input{flex:1;min-width:0}
input[type=text],input[type=search],input[type=password],input[type=file],select{width:100%;font:inherit;color:var(--ink);background:var(--paper);border:1px solid #7c8a99;border-radius:10px;padding:.55rem .8rem;min-height:46px}
button,.button{display:inline-block;font:inherit;font-weight:600;text-align:center;border:1px solid var(--brand);background:var(--brand);color:var(--paper);border-radius:10px;padding:.6rem 1.2rem;min-height:46px;cursor:pointer;text-decoration:none}
button.quiet,.button.quiet{background:transparent;color:var(--brand)}:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
.row{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0 .5rem}.row button:first-child{flex:1 1 9rem}
.warn{background:var(--warnbg);color:var(--warn);border-radius:10px;padding:.6rem .9rem;font-size:.95rem}
label{display:block;font-weight:600}.field{margin:1.1rem 0}.field span{display:block}.field input,.field select{margin:.35rem 0}.field .affixed{display:flex;align-items:center;gap:.4rem}.affixed input{flex:1;min-width:0}.field .fault{color:var(--warn);font-weight:600}.field input[aria-invalid]{border:2px solid var(--warn)}
.choice label{display:flex;gap:.7rem;font-weight:400;padding:.15rem 0}.choice input{flex:none;width:22px;height:22px;margin:0}
.choice{border:0;margin:0;padding:0}.choice legend{font-weight:600;padding:0;margin-bottom:.4rem}.shares{list-style:none;margin:.4rem 0;padding:0}.shares li{padding:.15rem 0;padding-inline-start:1.6rem;position:relative}.shares li::before{content:"✓" / "";position:absolute;inset-inline-start:.1rem;color:var(--good);font-weight:700}.shares li::first-letter{text-transform:uppercase}
.who{display:flex;align-items:center;gap:.85rem;margin:0 0 1rem}.who p,.who h2{margin:0}.bar{height:6px;border-radius:3px;background:var(--line);overflow:hidden}.bar i{display:block;height:100%;width:100%;background:var(--brand);animation:move 1.4s infinite}@keyframes move{from{transform:translateX(-100%)}to{transform:translateX(100%)}}@media (prefers-reduced-motion:reduce){.bar i{animation:none;width:50%}}
nav.pages{display:flex;justify-content:space-between;align-items:center;gap:.75rem;margin:1rem 0}
h3{font-size:.95rem;margin:1rem 0 .3rem}summary{cursor:pointer;font-weight:600}table{border-collapse:collapse;width:100%;font-size:.9rem;margin:.6rem 0}th,td{text-align:start;vertical-align:top;padding:.35rem 0;padding-inline-end:.75rem;border-bottom:1px solid var(--line)}th{font-weight:600;width:8.5rem}code,pre{font:.92em/1.5 ui-monospace,monospace}pre{white-space:pre-wrap;background:var(--ground);border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem}
p.done{display:block;border-radius:10px;padding:.6rem .9rem;font-size:.95rem;margin:.6rem 0;white-space:normal}
footer{margin-top:1.75rem;padding-top:1rem;border-top:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;font-size:.875rem;color:var(--soft)}footer a{color:var(--soft)}
[hidden]{display:none!important}[role=status]:empty{margin:0}.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
`
