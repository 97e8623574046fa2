package report_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/report"
)

// chromium finds the browser, or installs Debian's.
func chromium(t testing.TB) string {
	t.Helper()
	find := func() string {
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
			if path, err := exec.LookPath(name); err == nil {
				return path
			}
		}
		return ""
	}
	if path := find(); path != "" {
		return path
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		t.Skip("SKIPPED: the page was not tried in a browser: Chromium is not installed (apt-get install chromium), and only root can install it")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	apt := func(args ...string) error {
		cmd := exec.CommandContext(ctx, "apt-get", append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("apt-get %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return err
	}
	install := []string{"install", "-y", "--no-install-recommends", "chromium"}
	if apt(install...) != nil && (apt("update") != nil || apt(install...) != nil) {
		t.Skip("SKIPPED: the page was not tried in a browser: Chromium could not be installed")
	}
	path := find()
	require.NotEmpty(t, path, "Chromium is installed and not in PATH")
	return path
}

// A browser with one page open, and what it complained of or asked for.
type browser struct {
	t   testing.TB
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	requests   []string
}

func open(t testing.TB, path string) *browser {
	t.Helper()
	program := chromium(t)
	profile, err := os.MkdirTemp("", "fabriclab-chromium-")
	require.NoError(t, err)
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.UserDataDir(profile), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	allocator, stop := chromedp.NewExecAllocator(ctx, options...)
	tab, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		_ = chromedp.Cancel(tab) // waits for the end of the browser
		closeTab()
		stop()
		cancel()
		_ = os.RemoveAll(profile)
	})
	b := &browser{t: t, ctx: tab}
	console, requests := chromedp.Console(tab), chromedp.Events(tab, network.RequestWillBeSent)
	go func() {
		for m, err := range console {
			if err == nil {
				b.note(&b.complaints, m.String())
			}
		}
	}()
	go func() {
		for r, err := range requests {
			if err == nil {
				b.note(&b.requests, r.Request.URL)
			}
		}
	}()
	b.run(chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+path), chromedp.WaitVisible(css(".tools")))
	b.drawn()
	return b
}

// drawn waits until all charts are drawn.
func (b *browser) drawn() {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		return ask[bool](b, `[...document.querySelectorAll(".panel svg")].every(s => s.firstChild)`)
	}, 2*time.Minute, 20*time.Millisecond)
}

func (b *browser) note(list *[]string, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*list = append(*list, text)
}

// css is a selector.
func css(selector string) chromedp.CSS { return chromedp.CSS(selector) }

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...))
}

// ask evaluates an expression in the page.
func ask[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return v
}

// clean asserts that nothing went wrong and that nothing but the page itself
// was asked for.
func (b *browser) clean(path string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(b.t, b.complaints)
	for _, r := range b.requests {
		u, err := url.Parse(r)
		require.NoError(b.t, err)
		assert.Equal(b.t, "file", u.Scheme, r)
		assert.Equal(b.t, path, u.Path, r)
	}
	assert.NotEmpty(b.t, b.requests, "requests are seen")
}

// Of the first chart, and of its first panel.
const (
	theChart = `document.querySelector("figure.chart")`
	first    = `document.querySelector("figure.chart .panel svg")`
)

// drawn is everything the first chart shows.
func drawn(b *browser) string {
	return ask[string](b, `[...`+theChart+`.querySelectorAll(".panel svg")].map(s => s.innerHTML).join("\n")`)
}

// ticks are the texts in the first panel.
func ticks(b *browser) string {
	return ask[string](b, `[...`+first+`.querySelectorAll("text")].map(t => t.textContent).join(" ")`)
}

func count(b *browser, selector string) int {
	return ask[int](b, `document.querySelectorAll(`+"`"+selector+"`"+`).length`)
}

// drag goes from one place in the first panel to another, in shares of it.
func (b *browser) drag(x0, y0, x1, y1 float64) {
	b.t.Helper()
	b.run(chromedp.ScrollIntoView(css("figure.chart .panel svg")))
	r := ask[[4]float64](b, `(r => [r.left, r.top, r.width, r.height])(`+first+`.getBoundingClientRect())`)
	at := func(x, y float64) (float64, float64) { return r[0] + x*r[2], r[1] + y*r[3] }
	x, y := at(x0, y0)
	b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y), chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft))
	for _, part := range []float64{0.3, 0.7, 1} {
		x, y = at(x0+part*(x1-x0), y0+part*(y1-y0))
		b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y, chromedp.ButtonLeft))
	}
	b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x, y, chromedp.ButtonLeft))
}

// tooWide names what makes the page scroll sideways, if it does.
func tooWide(b *browser) string {
	return ask[string](b, `(w => document.documentElement.scrollWidth <= w ? "" : document.documentElement.scrollWidth + " > " + w + ": " +
		[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > w && !e.parentElement.closest(".scroll, svg"))
			.map(e => e.tagName + "." + e.getAttribute("class")).join(", "))(document.documentElement.clientWidth)`)
}

// doubleClick is what a mouse sends: two clicks.
func (b *browser) doubleClick(selector string) {
	b.t.Helper()
	b.run(chromedp.ScrollIntoView(css(selector)))
	at := b.middle(selector, 0.5)
	for _, n := range []int{1, 2} {
		b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(n)),
			chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(n)))
	}
}

// middle is the place at a share of an element's width, half way down.
func (b *browser) middle(selector string, share float64) [2]float64 {
	b.t.Helper()
	return ask[[2]float64](b, fmt.Sprintf(`(r => [r.left + %g * r.width, r.top + r.height / 2])(document.querySelector(%q).getBoundingClientRect())`, share, selector))
}

func write(t testing.TB, sections ...report.Section) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(path, []byte(render(t, sections...)), 0o644))
	return path
}

func TestInBrowser(t *testing.T) {
	path := write(t, section())
	b := open(t, path)
	whole := drawn(b)
	require.Equal(t, 6, ask[int](b, theChart+`.querySelectorAll("path.line").length`), "three panels with two lines")
	assert.Contains(t, ticks(b), "0 200 400 300", "the y axis ends at 400")
	assert.Equal(t, "null,6 2", ask[string](b, `[0, 1].map(s => `+theChart+`.querySelector("path.line[data-series='" + s + "']").getAttribute("stroke-dasharray") || "null").join()`), "told apart in grey")
	assert.Equal(t, "0.5", ask[string](b, `document.querySelector("rect.column").getAttribute("fill-opacity")`), "an error bar is seen on a bar")

	// A click on a name takes the line away, and the axis fits what is left.
	b.run(chromedp.Click(css(".key")))
	assert.Equal(t, 3, ask[int](b, theChart+`.querySelectorAll("path.line").length`))
	assert.Equal(t, "false", ask[string](b, theChart+`.querySelector(".key").getAttribute("aria-pressed")`))
	assert.Contains(t, ticks(b), "0 50 100 300", "the y axis ends at 100")
	b.run(chromedp.Click(css(".key")))
	assert.Equal(t, whole, drawn(b), "and back")
	b.doubleClick(".key + .key")
	assert.Equal(t, "1", ask[string](b, `[...new Set([...`+theChart+`.querySelectorAll("path.line")].map(l => l.dataset.series))].join()`), "alone")
	b.doubleClick(".key + .key")
	assert.Equal(t, whole, drawn(b))

	// Dragging zooms into all panels, a double click zooms out.
	assert.Contains(t, ticks(b), "300 400 500 600 700")
	b.drag(0.3, 0.5, 0.6, 0.52)
	assert.NotContains(t, ticks(b), "300 400 500 600 700")
	zoomed := ask[[]string](b, `[...`+theChart+`.querySelectorAll(".panel svg")].map(s => s.querySelector("path.line").getAttribute("d"))`)
	for i, d := range zoomed {
		assert.NotContains(t, whole, d, "panel %d is zoomed", i)
	}
	assert.False(t, ask[bool](b, theChart+`.querySelector(".zoom button:last-child").disabled`))
	b.doubleClick("figure.chart .panel svg")
	b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
	assert.Equal(t, whole, drawn(b))
	b.drag(0.3, 0.3, 0.6, 0.6) // a box
	assert.NotContains(t, ticks(b), " 0 ", "the y axis is zoomed, too")
	b.run(chromedp.Click(css("figure.chart .zoom button:last-child")), chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
	assert.Equal(t, whole, drawn(b))

	// Values come with their units, by mouse and by keyboard.
	b.run(chromedp.ScrollIntoView(css("figure.chart .panel svg")))
	at := b.middle("figure.chart .panel svg", 0.5)
	b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
	tip := ask[string](b, theChart+`.querySelector(".tip").innerText`)
	assert.Regexp(t, `time \d+ µs`, tip)
	assert.Regexp(t, `DCQCN\s*[\d.]+ KB`, tip)
	assert.Regexp(t, `HPCC\s*[\d.e-]+ KB`, tip)
	inside := `(t => (p => t.top >= p.top && t.bottom <= p.bottom && t.left >= p.left && t.right <= p.right)(` + first + `.getBoundingClientRect()))(document.querySelector(".tip").getBoundingClientRect())`
	assert.True(t, ask[bool](b, inside), "beside the point")
	b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1), chromedp.Focus(css("figure.chart .panel svg")), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	assert.Contains(t, ask[string](b, theChart+`.querySelector(".tip").innerText`), "time 251 µs", "the second point")
	b.run(chromedp.KeyEvent("+"))
	assert.NotEqual(t, whole, drawn(b))
	b.run(chromedp.KeyEvent("0"), chromedp.KeyEvent(kb.Escape))
	assert.Equal(t, whole, drawn(b))
	tipOf := func(figure string) string {
		b.run(chromedp.Focus(css(figure+" .panel svg")), chromedp.KeyEvent(kb.ArrowRight))
		return ask[string](b, `document.querySelector("`+figure+` .tip").innerText`)
	}
	assert.Regexp(t, `200 Gb/s\s+DCQCN\s+12 ± 2`, tipOf("#s-test-one-pauses"))
	assert.Regexp(t, `flow size up to 10KB\s+HPCC\s+1.5 ± 0.2`, tipOf("#s-test-one-slowdown"))
	assert.Regexp(t, `FCT slowdown 1\s+HPCC\s+0`, tipOf("#s-test-one-cdf"))
	assert.Positive(t, ask[int](b, `document.querySelector("#s-test-one-long path.line").getAttribute("d").length`))

	testMap(t, b)

	// Claims can be chosen, details opened.
	shown := `[...document.querySelectorAll("tr[data-verdict]")].filter(r => r.offsetParent).map(r => r.dataset.verdict).join()`
	assert.Equal(t, "reproduced,deviates,not-evaluated", ask[string](b, shown))
	b.run(chromedp.Click(css(`[data-show="deviates"]`)))
	assert.Equal(t, "deviates", ask[string](b, shown))
	b.run(chromedp.Click(css(`[data-show="all"]`)), chromedp.Click(css(`[data-details="open"]`)))
	assert.Zero(t, count(b, "details:not([open])"))
	assert.Empty(t, tooWide(b))

	shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	keep(t, "desktop.png", shot)
	testPaper(t, b, whole)
	testPhone(t, b)
	b.clean(path)
}

// testMap moves the slider of how busy the links were.
func testMap(t *testing.T, b *browser) {
	looks := func() string {
		return ask[string](b, `[...document.querySelectorAll("figure.map path[data-port]")].map(p => p.getAttribute("stroke") + " " + p.textContent).join() + "; " +
			document.querySelector(".map .when").textContent + "; " + document.querySelector(".map .busiest").textContent`)
	}
	mean := looks()
	assert.Equal(t, "#fc8d59 a->b: 50 %,#ebdac2 b->a: 10 %,#b5bdc4 b->c: not recorded; mean of 0 to 30 µs; a->b 50 %, b->a 10 %", mean)
	b.run(chromedp.Focus(css(".map input")), chromedp.KeyEvent(kb.End))
	assert.Equal(t, "#dfe4e8 a->b: 0 %,#ebdac2 b->a: 10 %,#b5bdc4 b->c: not recorded; 20 to 30 µs; b->a 10 %, a->b 0 %", looks())
	b.run(chromedp.KeyEvent(kb.Home))
	assert.Contains(t, looks(), "#5a0010 a->b: 100 %")
	assert.Contains(t, looks(), "0 to 10 µs")
	assert.Equal(t, "0 to 10 µs", ask[string](b, `document.querySelector(".map input").getAttribute("aria-valuetext")`))
	b.run(chromedp.KeyEvent(kb.ArrowRight))
	assert.Contains(t, looks(), "10 to 20 µs")
	b.run(chromedp.Click(css(".map .slide button")))
	assert.Equal(t, mean, looks(), "painted as without the script")
}

// testPaper prints: the figures are laid out for the paper's width, none is
// higher than a page, and afterwards all is as before.
func testPaper(t *testing.T, b *browser, whole string) {
	media := func(m string) chromedp.Action[chromedp.Void] {
		return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: m})
			return err
		})
	}
	b.run(chromedp.EmulateViewport(703, 1000), media("print"), chromedp.Evaluate[chromedp.Void](`window.dispatchEvent(new Event("beforeprint"))`))
	assert.Empty(t, tooWide(b), "what is too wide would shrink everything")
	assert.LessOrEqual(t, ask[float64](b, `Math.max(...[...document.querySelectorAll(".panels")].map(g => [...g.querySelector("svg").getAttribute("viewBox").split(" ")][2]))`), 700.0)
	b.run(chromedp.EmulateViewport(1280, 900), media(""), chromedp.Evaluate[chromedp.Void](`window.dispatchEvent(new Event("afterprint"))`))
	b.drawn()
	assert.Equal(t, whole, drawn(b))
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
	require.NoError(t, err)
	assert.Equal(t, "%PDF-", string(pdf[:5]))
	assert.Greater(t, strings.Count(string(pdf), "/Type /Page\n"), 1, "several pages")
	b.drawn()
	assert.Equal(t, whole, drawn(b))
	keep(t, "test.pdf", pdf)
}

// testPhone looks at the page on a small screen: nothing but tables scrolls
// sideways.
func testPhone(t *testing.T, b *browser) {
	b.run(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch), chromedp.Sleep(100*time.Millisecond))
	b.drawn()
	assert.Empty(t, tooWide(b))
	assert.True(t, ask[bool](b, `[...document.querySelectorAll(".scroll")].some(s => s.scrollWidth > s.clientWidth)`), "tables scroll")
	assert.False(t, ask[bool](b, `(s => s.scrollWidth > s.clientWidth)(document.querySelector(".contents").parentElement)`), "the overview does not")
	assert.Equal(t, 1, ask[int](b, `getComputedStyle(document.querySelector(".panels")).gridTemplateColumns.split(" ").length`))
	assert.Equal(t, "pan-y", ask[string](b, `getComputedStyle(`+first+`).touchAction`), "the page still scrolls")
	// The values above bars are not cut.
	assert.NotZero(t, count(b, "#s-test-one-pauses .mark-text"))
	assert.True(t, ask[bool](b, `[...document.querySelectorAll("#s-test-one-pauses .panel svg")].every(s => [...s.querySelectorAll(".mark-text")].every(m => m.getBBox().y >= s.querySelector("clipPath rect").y.baseVal.value))`))
	// A tap shows values, which stay on the screen.
	b.run(chromedp.ScrollIntoView(css("figure.chart .panel svg")))
	at := b.middle("figure.chart .panel svg", 0.9)
	b.run(chromedp.TapXY(at[0], at[1]), chromedp.WaitVisible(css(".tip")))
	assert.True(t, ask[bool](b, `(t => t.left >= 0 && t.right <= 360)(document.querySelector(".tip").getBoundingClientRect())`))
	assert.Empty(t, tooWide(b))
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	keep(t, "phone.png", shot)
}

func TestHostileTextInBrowser(t *testing.T) {
	path := write(t, hostileSection(), section())
	b := open(t, path)
	assert.Equal(t, "undefined", ask[string](b, `typeof window.hacked`))
	assert.Zero(t, count(b, "img, iframe, object, embed, link, form"))
	assert.Equal(t, 2, ask[int](b, `[...document.querySelectorAll("section.item")].length`))
	for _, selector := range []string{"section.item h2", ".command code", ".claims td:nth-child(2)", ".claims td.note", ".chart h3", ".chart .key", ".panel h4", ".panel .label", ".panel .mark-text", ".missing", ".params code", "details:has(.map) summary", ".busiest"} {
		assert.Contains(t, ask[string](b, `document.querySelector("`+selector+`").textContent`), hostile, selector)
	}
	b.run(chromedp.Focus(css("figure.chart .panel svg")), chromedp.KeyEvent(kb.ArrowRight))
	assert.Contains(t, ask[string](b, `document.querySelector(".tip").textContent`), hostile)
	assert.Equal(t, "undefined", ask[string](b, `typeof window.hacked`))
	b.clean(path)
}

// opens opens a page; it takes so long until its first content is painted, and
// until it is loaded.
func (b *browser) opens(path string) (paint, load time.Duration) {
	b.run(chromedp.Navigate("file://" + path))
	b.drawn()
	times := ask[[2]float64](b, `[performance.getEntriesByName("first-contentful-paint")[0].startTime, performance.getEntriesByType("navigation")[0].loadEventEnd]`)
	return time.Duration(times[0] * float64(time.Millisecond)), time.Duration(times[1] * float64(time.Millisecond))
}

// afterFirstFrame counts the charts, and those of them that are drawn, behind
// the first frame that has any.
const afterFirstFrame = `(function frame() {
  requestAnimationFrame(() => {
    const painted = new MessageChannel();
    painted.port1.onmessage = () => {
      const charts = [...document.querySelectorAll(".panel svg")];
      if (!charts.length) return frame();
      window.firstFrame = [charts.length, charts.filter((s) => s.firstChild).length];
    };
    painted.port2.postMessage(0);
  });
})()`

// TestReportOfManyRunsOpens: a page of 300 runs shows its first content before
// its charts are drawn.
func TestReportOfManyRunsOpens(t *testing.T) {
	b := open(t, write(t))
	b.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: afterFirstFrame})
		return err
	}))
	b.run(chromedp.Navigate("file://" + write(t, large()...)))
	require.Eventually(t, func() bool { return ask[bool](b, "!!window.firstFrame") }, 2*time.Minute, 20*time.Millisecond)
	first := ask[[2]int](b, "window.firstFrame")
	assert.Greater(t, first[0], 40)
	assert.Less(t, first[1], first[0]/2, "drawn of %d charts", first[0])
}

// BenchmarkOpen opens a report of 300 runs and twelve figures: until its first
// content is painted, until it is loaded, and until every chart is drawn.
func BenchmarkOpen(b *testing.B) {
	path := write(b, large()...)
	browser := open(b, path)
	var paint, load time.Duration
	for b.Loop() {
		p, l := browser.opens(path)
		paint += p
		load += l
	}
	b.ReportMetric(paint.Seconds()/float64(b.N), "s/first-paint")
	b.ReportMetric(load.Seconds()/float64(b.N), "s/load")
}

// keep writes a picture for people to look at, if they ask for it.
func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	if dir := os.Getenv("FABRICLAB_SHOW_PAGE"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
}
