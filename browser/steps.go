package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plat"
	"plat/browser/tab"
	"plat/browser/wire"
	"plat/steps"
)

// acting is the part of a visit that a page with steps has and others lack.
type acting struct {
	plan    steps.Plan
	secrets []string // typed into the page: nothing that leaves it may hold them
	ran     bool     // the plan was carried out
	kept    *kept    // the session's, if the plan has one
	edition int      // of kept, that this page began with
	script  string   // restores local storage in new documents
}

// act carries out what is to be done on the page before it is taken, once it has
// settled, and lets it settle again. An answer that is an error, or no HTML, is
// left alone: it is not the page that the steps are for.
func (v *visit) act(ctx context.Context) error {
	a := v.acts
	if a == nil || !v.actable() {
		return nil
	}
	start, settled := time.Now(), v.Timing.Settle
	if a.plan.Session != nil {
		if err := v.logIn(ctx); err != nil {
			return v.lostOr(ctx, err)
		}
		if v.refused() {
			return nil
		}
	}
	a.ran = true
	if a.plan.Consent {
		if err := v.consent(ctx); err != nil {
			return v.lostOr(ctx, err)
		}
	}
	if err := v.follow(ctx); err != nil {
		return v.lostOr(ctx, err)
	}
	v.Timing.Settle = settled + time.Since(start)
	return v.conceal(ctx)
}

// actable reports whether what has loaded is a page to do something on.
func (v *visit) actable() bool {
	return v.Is(func(s *tab.State) bool {
		if n := s.Status(); n >= 400 && !(v.acts.plan.Session != nil && (n == 401 || n == 403)) {
			return false
		}
		return s.MIME == "" || s.MIME == "text/html" || s.MIME == "application/xhtml+xml"
	})
}

// refused reports whether the answer is an error.
func (v *visit) refused() bool { return v.Is(func(s *tab.State) bool { return s.Status() >= 400 }) }

// lostOr is why the visit cannot go on at all, if that is so, or else err, which
// then is the steps'.
func (v *visit) lostOr(ctx context.Context, err error) error {
	var page *plat.VisitError
	switch {
	case v.Crashed():
		return tab.ErrCrashed
	case !v.Browser.Running():
		return wire.ErrGone
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case v.Lane.Stats().Capped, errors.As(err, &page):
		return err
	}
	select {
	case <-v.Session.Detached():
		return v.Lost()
	default:
		return err
	}
}

// follow runs the steps of the rules.
func (v *visit) follow(ctx context.Context) error {
	some := false
	for _, r := range v.acts.plan.Rules {
		some = some || len(r.Steps) > 0
	}
	if !some {
		return nil
	}
	limit, cancel := tab.WithLimit(ctx, steps.Total, "all steps")
	defer cancel()
	driven, release, err := v.drive(limit)
	if err != nil {
		return fmt.Errorf("steps: %w", err)
	}
	defer release()
	for _, r := range v.acts.plan.Rules {
		if err := v.list(driven, r, r.Steps, "step", r.Covers); err != nil {
			return v.stepsFailed(ctx, plat.OutcomeStepsFailed, err)
		}
	}
	if err := v.scrollPage(limit, "0"); err != nil {
		if limit.Err() != nil {
			err = v.stepsFailed(ctx, plat.OutcomeStepsFailed, context.Cause(limit))
		}
		return err
	}
	return v.Again(ctx)
}

// stepsFailed is the end of a page on which a step failed, with a picture of it.
func (v *visit) stepsFailed(ctx context.Context, o plat.Outcome, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &plat.VisitError{Outcome: o, Err: errors.New(v.redacted(err.Error())), Picture: v.lastPicture(ctx)}
}

// list runs steps one after the other. covers says into which hosts' pages
// secrets may be typed.
func (v *visit) list(ctx context.Context, r *steps.Rule, list []steps.Step, word string, covers func(string) bool) error {
	for i := range list {
		s := &list[i]
		err := v.step(ctx, s, covers)
		if err == nil || s.Optional && v.alive(ctx) {
			continue
		}
		return fmt.Errorf("%s: rule %q: %s %d (line %d), %v: %w", r.File, r.Name, word, i+1, s.Line, s, err)
	}
	return nil
}

// alive reports whether the next step has any sense.
func (v *visit) alive(ctx context.Context) bool {
	select {
	case <-v.Session.Detached():
		return false
	default:
		return ctx.Err() == nil && v.Browser.Running()
	}
}

// step runs one step, as often as it says, and waits for the page that it may
// lead to.
func (v *visit) step(ctx context.Context, s *steps.Step, covers func(string) bool) error {
	v.Began()
	var covered *coveredError
	times := max(1, s.Repeat)
	for i := range times {
		limit := s.Limit()
		one, cancel := tab.WithLimit(ctx, limit, "the step")
		err := v.perform(one, s, covers, i > 0)
		if err == nil && (s.Action == steps.Click || s.Action == steps.Press || s.Action == steps.Evaluate) {
			err = v.arrive(one)
		}
		out := one.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && i > 0:
			return nil // no more of them
		case errors.As(err, &covered) && out:
			return fmt.Errorf("%w, for %v", covered, limit)
		case err != nil && out:
			return fmt.Errorf("%s within %v", v.diagnose(ctx, s), limit)
		case err != nil:
			return plain(err)
		}
		if i+1 < times {
			if err := v.Again(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeatTimeout is how long a repeated click waits for something to click once more: there
// was one, and the page has settled since, so that another is there now. The click itself,
// and the document that it may lead to, have the step's limit.
const repeatTimeout = 500 * time.Millisecond

// leaveTime is how long a page may take to ask for another document after it was
// clicked.
const leaveTime = 200 * time.Millisecond

// arrive waits for the document that a click or a key has asked for.
func (v *visit) arrive(ctx context.Context) error {
	err := v.InRealTime(ctx, func(ctx context.Context) error {
		if err := v.turnTasks(ctx); err != nil {
			return err
		}
		limit, cancel := context.WithTimeoutCause(ctx, leaveTime, errLimit)
		defer cancel()
		return v.poll(limit, func() (bool, error) {
			return v.Is(func(s *tab.State) bool { return s.Leaving || !s.Loaded }), nil
		})
	})
	if err != nil && !errors.Is(err, errLimit) {
		return err
	}
	if err := v.UntilLoaded(ctx); err != nil && !errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return nil // one that does not come to an end is for the next step to judge
}

// turnTasks waits until the page has done the tasks that it has: a form is sent in one of its
// own, which on a busy machine may be long in coming.
func (v *visit) turnTasks(ctx context.Context) error {
	limit, cancel := context.WithTimeoutCause(ctx, tasksTime, errLimit)
	defer cancel()
	world, err := v.World(limit)
	if err == nil {
		_, err = v.EvaluatePromise(limit, world, "new Promise(done => setTimeout(() => setTimeout(done)))")
	}
	var refused *wire.ProtocolError
	if errors.As(err, &refused) || errors.Is(err, errLimit) {
		return nil // it is between two documents, or hangs
	}
	return err
}

// tasksTime is how long a page's tasks are waited for.
const tasksTime = 2 * time.Second

// plain says in words what Chrome and chromedp say in theirs.
func plain(err error) error {
	var refused *cdproto.Error
	if errors.As(err, &refused) && refused.Message == "DOM Error while querying" {
		return errors.New("the browser does not understand the selector")
	}
	var thrown *chromedp.ExceptionError
	if errors.As(err, &thrown) {
		return fmt.Errorf("the script failed: %w", thrown)
	}
	return err
}

// perform does what a step says, once; again says that it was done before. Time goes on for the page meanwhile, as it does for
// one that somebody sits in front of.
func (v *visit) perform(ctx context.Context, s *steps.Step, covers func(string) bool, again bool) error {
	if s.Action == steps.Goto {
		return v.open(ctx, s.URL)
	}
	return v.InRealTime(ctx, func(ctx context.Context) error { return v.take(ctx, s, covers, again) })
}

// take does what a step says by chromedp's actions.
func (v *visit) take(ctx context.Context, s *steps.Step, covers func(string) bool, again bool) error {
	ctx, at, release, err := v.place(ctx, s)
	if err != nil {
		return err
	}
	defer release()
	visible := append(slices.Clone(at), chromedp.NodeVisible)
	switch s.Action {
	case steps.Click:
		if err := v.aim(ctx, s, visible, again); err != nil {
			return err
		}
		return chromedp.Do(ctx, chromedp.Click("", at...))
	case steps.Fill:
		value, secrets, err := s.Resolve(v.o.Secret)
		if err != nil {
			return err
		}
		v.acts.secrets = append(v.acts.secrets, secrets...)
		if len(secrets) == 0 {
			covers = nil
		}
		return fill(ctx, value, covers, at, visible)
	case steps.Press:
		if s.Selector != "" {
			return chromedp.Do(ctx, chromedp.SendKeys("", keys[s.Key]+single(s.Key), at...))
		}
		return chromedp.Do(ctx, chromedp.KeyEvent(keys[s.Key]+single(s.Key)))
	case steps.Select:
		return chromedp.Do(ctx, chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (chromedp.Void, error) {
			return chromedp.Void{}, choose(ctx, t, nodes[0], s.Value)
		}, at...))
	case steps.Scroll:
		switch s.To {
		case steps.Top:
			return v.scrollPage(ctx, "0")
		case steps.Bottom:
			return v.scrollPage(ctx, "1e9")
		}
		return chromedp.Do(ctx, chromedp.ScrollIntoView("", at...))
	case steps.Wait:
		return v.await(ctx, s, at)
	case steps.Evaluate:
		if !v.o.StepsEvaluate {
			return errors.New("scripts of steps are switched off")
		}
		return chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](s.Script, chromedp.EvalAwaitPromise))
	}
	return fmt.Errorf("%s is not known", s.Action)
}

// aim waits until there is something to click, and it lies still and free. If it was clicked
// before, it is not waited for long: unless it is there, and only this machine is slow.
func (v *visit) aim(ctx context.Context, s *steps.Step, visible []chromedp.QueryOption, again bool) error {
	aim := func(ctx context.Context) error {
		return chromedp.Do(ctx,
			chromedp.ScrollIntoView("", visible...),
			chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (chromedp.Void, error) {
				return chromedp.Void{}, v.steady(ctx, t, nodes[0])
			}, visible...))
	}
	if !again {
		return aim(ctx)
	}
	limit, cancel := context.WithTimeoutCause(ctx, repeatTimeout, errLimit)
	defer cancel()
	err := aim(limit)
	var covered *coveredError
	if err == nil || limit.Err() == nil || errors.As(err, &covered) || s.Frame != "" {
		return err
	}
	if is, asked := v.matched(ctx, s); asked != nil || !is.Seen {
		return err
	}
	return aim(ctx)
}

// keys are what chromedp calls the keys that have names.
var keys = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Backspace": kb.Backspace, "Delete": kb.Delete, "Space": " ",
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"PageUp": kb.PageUp, "PageDown": kb.PageDown, "Home": kb.Home, "End": kb.End,
}

func single(key string) string {
	if keys[key] == "" {
		return key
	}
	return ""
}

// place says where chromedp is to look for the step's element: options that find
// it, and the context of its frame. release must be called.
func (v *visit) place(ctx context.Context, s *steps.Step) (_ context.Context, at []chromedp.QueryOption, release func(), err error) {
	release = func() {}
	if s.Selector != "" {
		at = append(at, chromedp.ByFunc(find(s.Selector)))
	}
	if s.Frame == "" {
		return ctx, at, release, nil
	}
	frames, err := chromedp.Run(ctx, chromedp.Nodes(chromedp.CSS(s.Frame)))
	if err != nil {
		return ctx, nil, release, err
	}
	if frames[0].ContentDocument != nil {
		return ctx, append(at, chromedp.FromNode(frames[0])), release, nil
	}
	if frames[0].FrameID == "" {
		return ctx, nil, release, fmt.Errorf("%q is no frame", s.Frame)
	}
	ctx, release, err = driveFrame(ctx, frames[0].FrameID)
	if err != nil {
		return ctx, nil, func() {}, err
	}
	return ctx, at, release, nil
}

// find looks an element up: the first that matches, below the shadow root of what
// stands before ">>>".
func find(selector string) func(context.Context, *chromedp.Target, *chromedp.Node) ([]cdp.NodeID, error) {
	parts := steps.SplitSelector(selector)
	return func(ctx context.Context, t *chromedp.Target, from *chromedp.Node) ([]cdp.NodeID, error) {
		r, err := cdp.Call(ctx, t, dom.QuerySelector, dom.QuerySelectorParams{NodeID: from.NodeID, Selector: parts[0]})
		for _, part := range parts[1:] {
			if err != nil || r.NodeID == 0 {
				break
			}
			r.NodeID, err = inShadow(ctx, t, r.NodeID, part)
		}
		if err != nil || r.NodeID == 0 {
			return nil, err
		}
		return []cdp.NodeID{r.NodeID}, nil
	}
}

// inShadow looks for an element in the open shadow root of a node; 0 is none.
func inShadow(ctx context.Context, t *chromedp.Target, host cdp.NodeID, selector string) (cdp.NodeID, error) {
	r, err := callOn(ctx, t, host, false, `function(s) { return this.shadowRoot && this.shadowRoot.querySelector(s) }`, selector)
	if err != nil || r.ObjectID == "" {
		return 0, err
	}
	n, err := cdp.Call(ctx, t, dom.RequestNode, dom.RequestNodeParams{ObjectID: r.ObjectID})
	return n.NodeID, err
}

// callOn calls a function with a node as this.
func callOn(ctx context.Context, t *chromedp.Target, node cdp.NodeID, byValue bool, function string, args ...string) (*runtime.RemoteObject, error) {
	o, err := cdp.Call(ctx, t, dom.ResolveNode, dom.ResolveNodeParams{NodeID: node})
	if err != nil {
		return nil, err
	}
	p := runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: o.Object.ObjectID, ReturnByValue: &byValue}
	for _, a := range args {
		text, err := jsonv2.Marshal(a)
		if err != nil {
			return nil, err
		}
		p.Arguments = append(p.Arguments, &runtime.CallArgument{Value: text})
	}
	r, err := cdp.Call(ctx, t, runtime.CallFunctionOn, p)
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, &chromedp.ExceptionError{ExceptionDetails: r.ExceptionDetails}
	}
	return r.Result, nil
}

// fill types a value into a field. Chrome may lose keys that come when a document has only
// just begun: what has not arrived is typed once more. A page may also make something else of
// it, and that stays.
func fill(ctx context.Context, value string, covers func(string) bool, at, visible []chromedp.QueryOption) error {
	for range fillTries {
		var field *chromedp.Node
		err := chromedp.Do(ctx,
			chromedp.QueryAfter("", func(ctx context.Context, t *chromedp.Target, nodes []*chromedp.Node) (chromedp.Void, error) {
				field = nodes[0]
				return chromedp.Void{}, clearField(ctx, t, field, covers)
			}, visible...),
			chromedp.SendKeys("", value, at...))
		if err != nil {
			return err
		}
		arrived := true // also where the field is gone, as one that sends its form by itself
		if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			held, err := fieldText(ctx, t, field)
			arrived = err != nil || held == value || !strings.HasSuffix(value, held)
			return nil
		})); err != nil || arrived {
			return err
		}
	}
	return nil
}

// fillTries is how often a value is typed if it does not arrive.
const fillTries = 3

// clearField focuses a field and selects what it holds, so that what is typed
// next takes its place. If covers is not nil, the field's page must be of a host
// that it covers.
func clearField(ctx context.Context, t *chromedp.Target, n *chromedp.Node, covers func(string) bool) error {
	if covers != nil {
		r, err := callOn(ctx, t, n.NodeID, true, `function() { return location.href }`)
		if err != nil {
			return err
		}
		var href string
		if err := jsonv2.Unmarshal(r.Value, &href); err != nil {
			return err
		}
		if u, err := url.Parse(href); err != nil || !covers(u.Hostname()) {
			return &foreignError{hostOf(href)}
		}
	}
	if _, err := cdp.Call(ctx, t, dom.Focus, dom.FocusParams{NodeID: n.NodeID}); err != nil {
		return err
	}
	_, err := callOn(ctx, t, n.NodeID, true, `function() {
		if (typeof this.type === 'string' && this.type === 'file') throw new Error('a file is not filled in');
		if (this.select) this.select(); else getSelection().selectAllChildren(this);
	}`)
	return err
}

// fieldText is what a field holds.
func fieldText(ctx context.Context, t *chromedp.Target, n *chromedp.Node) (text string, err error) {
	r, err := callOn(ctx, t, n.NodeID, true, `function() { return String(this.value ?? this.textContent) }`)
	if err == nil {
		err = jsonv2.Unmarshal(r.Value, &text)
	}
	return text, err
}

// steady waits until an element stays where it is and nothing lies over it: a
// click is at a place, and would go to what is there by then.
func (v *visit) steady(ctx context.Context, t *chromedp.Target, n *chromedp.Node) error {
	last := ""
	for {
		r, err := callOn(ctx, t, n.NodeID, true, `function() {
			const b = this.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2;
			const top = this.getRootNode().elementFromPoint(x, y);
			const free = !top || this === top || this.contains(top) || top.contains(this) || this.getClientRects().length > 1;
			return [b.x, b.y, b.width, b.height].join() + '|' + (free ? '' : top.localName + (top.id ? '#' + top.id : ''));
		}`)
		if err != nil {
			return err
		}
		var now string
		if err := jsonv2.Unmarshal(r.Value, &now); err != nil {
			return err
		}
		_, cover, _ := strings.Cut(now, "|")
		if now == last && cover == "" {
			return nil
		}
		last = now
		if err := v.Sleep(ctx, pollEvery); err != nil {
			if cover != "" {
				return &coveredError{short(cover), err}
			}
			return err
		}
	}
}

// coveredError is the end of a click on an element that another one lies over.
type coveredError struct {
	by  string
	err error
}

func (e *coveredError) Error() string { return "the element was covered by " + e.by }
func (e *coveredError) Unwrap() error { return e.err }

// foreignError is the end of a step that would have given a secret away.
type foreignError struct{ host string }

func (e *foreignError) Error() string {
	return fmt.Sprintf("the page is now one of %s, which is not given secrets of this rule", e.host)
}

func hostOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return "no host"
}

// choose selects the option of a list that has a value, or that text.
func choose(ctx context.Context, t *chromedp.Target, n *chromedp.Node, value string) error {
	r, err := callOn(ctx, t, n.NodeID, true, `function(value) {
		const all = [...(this.options ?? [])];
		const one = all.find((o) => o.value === value) ?? all.find((o) => o.label.trim() === value);
		if (!one) return false;
		one.selected = true;
		this.dispatchEvent(new Event('input', { bubbles: true }));
		this.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	}`, value)
	if err == nil && string(r.Value) != "true" {
		err = fmt.Errorf("there is no option %q", value)
	}
	return err
}

// await waits for what a step says.
func (v *visit) await(ctx context.Context, s *steps.Step, at []chromedp.QueryOption) error {
	switch {
	case s.Pause > 0:
		return v.Sleep(ctx, s.Pause)
	case s.URL != "":
		pattern, err := steps.ParsePattern(s.URL)
		if err != nil {
			return err
		}
		return v.poll(ctx, func() (bool, error) {
			u, err := v.location(ctx)
			return err == nil && pattern.Matches(u), err
		})
	}
	switch s.State {
	case steps.Absent:
		return chromedp.Do(ctx, chromedp.WaitNotPresent("", at...))
	case steps.Present:
		return chromedp.Do(ctx, chromedp.WaitReady("", at...))
	case steps.Hidden:
		gone := chromedp.WaitFunc(func(ctx context.Context, t *chromedp.Target, _ *chromedp.Frame, _ runtime.ExecutionContextID, ids ...cdp.NodeID) ([]*chromedp.Node, error) {
			for _, id := range ids {
				r, err := callOn(ctx, t, id, true, `function() { return this.getClientRects().length > 0 }`)
				if err != nil || string(r.Value) == "true" {
					return nil, err
				}
			}
			return []*chromedp.Node{}, nil
		})
		return chromedp.Do(ctx, chromedp.Query("", append(at, chromedp.AtLeast(0), gone)...))
	}
	return chromedp.Do(ctx, chromedp.WaitVisible("", at...))
}

// pollEvery is how often the page is asked for what announces itself by no event.
const pollEvery = 25 * time.Millisecond

// poll asks until is says yes.
func (v *visit) poll(ctx context.Context, is func() (bool, error)) error {
	for {
		ok, err := is()
		var refused *wire.ProtocolError
		if ok || err != nil && !errors.As(err, &refused) { // refused: it is between two documents
			return err
		}
		if err := v.Sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// location is the URL of the document that is shown, what its scripts have made
// of it included.
func (v *visit) location(ctx context.Context) (*url.URL, error) {
	b, err := v.Evaluate(ctx, 0, "location.href") // which no page can forge
	if err != nil {
		return nil, err
	}
	var href string
	if err := jsonv2.Unmarshal(b, &href); err != nil {
		return nil, err
	}
	return url.Parse(href)
}

// open leads the tab to another document, and waits for it.
func (v *visit) open(ctx context.Context, to string) error {
	if err := v.Navigate(ctx, to); err != nil {
		return err
	}
	if err := v.Load(ctx); err != nil {
		return err
	}
	return v.Again(ctx)
}

// scrollPage puts the page at a height, in px.
func (v *visit) scrollPage(ctx context.Context, y string) error {
	world, err := v.World(ctx)
	if err == nil {
		_, err = v.Evaluate(ctx, world, "scrollTo({ top: "+y+", behavior: 'instant' })")
	}
	var refused *wire.ProtocolError
	if errors.As(err, &refused) {
		return nil // it is going elsewhere
	}
	return err
}

// elementScript defines what is said of elements, in a world of its own.
const elementScript = `
const one = (parts) => parts.reduce((root, s) => root && (root.shadowRoot ?? root).querySelector(s), document);
const seen = (e) => !!e && e.getClientRects().length > 0 && getComputedStyle(e).visibility === 'visible';
`

// elements evaluates an expression about elements and decodes its value.
func (v *visit) elements(ctx context.Context, expression string, into any) error {
	world, err := v.World(ctx)
	if err != nil {
		return err
	}
	b, err := v.Evaluate(ctx, world, "(() => {"+elementScript+"return "+expression+"})()")
	if err != nil {
		return err
	}
	return jsonv2.Unmarshal(b, into)
}

// diagnose says what kept a step from being done in time.
func (v *visit) diagnose(ctx context.Context, s *steps.Step) string {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	switch {
	case s.URL != "":
		if u, err := v.location(ctx); err == nil {
			return fmt.Sprintf("the page's URL is %q and did not become one that matches", v.redacted(u.Redacted()))
		}
		return "the page's URL did not become one that matches"
	case s.Selector == "" || s.Frame != "":
		return "it was not done"
	}
	is, err := v.matched(ctx, s)
	if err != nil {
		return "the page did not answer"
	}
	wait := s.Action == steps.Wait
	switch {
	case wait && s.State == steps.Absent:
		return "the element did not go away"
	case wait && s.State == steps.Hidden:
		return "the element did not become hidden"
	case !is.There:
		return "no element matched"
	case !is.Seen:
		return "the element was there and did not become visible"
	}
	return "the page did not let it be done"
}

// matched says whether an element of the page is what a step looks for, and whether it can
// be seen.
func (v *visit) matched(ctx context.Context, s *steps.Step) (is struct{ There, Seen bool }, err error) {
	list, err := jsonv2.Marshal(steps.SplitSelector(s.Selector))
	if err == nil {
		err = v.elements(ctx, fmt.Sprintf("(({ There: !!one(%[1]s), Seen: seen(one(%[1]s)) }))", list), &is)
	}
	return is, err
}

// diagnoseTimeout limits what is found out about a failure.
const diagnoseTimeout = 2 * time.Second

// short makes text fit for an error.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
