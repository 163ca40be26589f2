// Package site tests the HTML site of the documentation in a browser. make test MODE=site
// builds the site.
package site_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
)

// site is the data that the browser found on each page, by the page's address.
type site struct {
	root   string // the address of the site's folder
	pages  map[string]page
	others map[string][]string // words by which the search finds a page too, by its name
}

type page struct {
	Links, IDs []string
	Words      map[string]bool // in paragraphs
	Text       string          // the text of the whole page, in lower case
	Pictures   int
	Broken     []string       // the addresses of pictures that did not load
	Blocks     map[string]int // the number of code blocks in each language
	Plain      []string       // the code blocks without syntax colors that should have some
	Wider      int            // by how many pixels the page is wider than the window
	Scrolled   []string       // the first words of the tables that need scrolling sideways
}

// look is JavaScript that returns the data of the current page. A code block should have
// colors if it contains a keyword, a string or a comment.
const look = `(() => {
	const all = (selector, of = document) => [...of.querySelectorAll(selector)];
	const telling = {
		go: /\b(func|import|package|for|if|return|range|defer|var)\b|"/,
		python: /\b(def|import|for|if|return|with|class)\b|"/,
		sh: /#|"/,
	};
	const blocks = {}, plain = [], words = {};
	for (const [language, tells] of Object.entries(telling))
		for (const block of all(".highlight-" + language + " pre")) {
			blocks[language] = (blocks[language] || 0) + 1;
			const color = getComputedStyle(block).color;
			if (tells.test(block.textContent) && !all("span", block).some(s => getComputedStyle(s).color !== color))
				plain.push(block.textContent);
		}
	for (const p of all("article p"))
		for (const word of p.textContent.toLowerCase().match(/[a-z]+/g) || []) words[word] = true;
	return {
		Links: all("a[href]").map(a => a.href),
		IDs: all("[id]").map(e => e.id),
		Words: words,
		Text: all("article").map(a => a.textContent).join(" ").toLowerCase(),
		Pictures: document.images.length,
		Broken: all("img").filter(i => !i.complete || i.naturalWidth === 0).map(i => i.src.slice(0, 100)),
		Blocks: blocks,
		Plain: plain,
		Wider: document.documentElement.scrollWidth - innerWidth,
		Scrolled: all("article .table-wrapper").filter(t => t.scrollWidth > t.clientWidth + 1)
			.map(t => t.scrollWidth + " in " + t.clientWidth + ": " + t.textContent.trim().slice(0, 60)),
	};
})()`

func TestSite(t *testing.T) {
	dir := os.Getenv("GOTORCH_SITE")
	if dir == "" {
		t.Skip("GOTORCH_SITE does not name a built site: make test MODE=site does")
	}
	s := site{root: "file://" + dir + "/", pages: map[string]page{}, others: others(t)}
	b := browser.Start(t)
	t.Run("Pages", func(t *testing.T) {
		b.In(t, 1280, 900, false)
		require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) == ".html" && filepath.Base(path) != "index.html" {
				b.Load("file://" + path)
				s.pages["file://"+path] = browser.Eval[page](b, look)
			}
			return err
		}))
		s.check(t)
	})
	t.Run("Index", func(t *testing.T) {
		b.In(t, 1280, 900, false)
		b.Load(s.root + "index.html")
		for address(b) == s.root+"index.html" {
			b.Follow(func() {}) // wait until index.html has redirected
		}
		assert.Equal(t, s.root+"README.html", address(b))
	})
	t.Run("Phone", func(t *testing.T) {
		b.In(t, 400, 800, false)
		for _, name := range []string{"README", "docs/porting", "docs/leaks", "examples/README", "notebooks/tensors"} {
			b.Load(s.root + name + ".html")
			assert.LessOrEqual(t, browser.Eval[page](b, look).Wider, 0, "%s is wider than a phone", name)
		}
	})
	for _, folder := range []string{"docs", "examples", "notebooks"} {
		t.Run("Search/"+folder, func(t *testing.T) {
			b.In(t, 1280, 900, false)
			s.search(t, b, s.root+folder+"/")
		})
	}
	t.Run("Search/words", func(t *testing.T) {
		b.In(t, 1280, 900, false)
		s.words(t, b)
	})
	t.Run("Dark", func(t *testing.T) { s.dark(t, b) })
	t.Run("Drawings", func(t *testing.T) { s.drawings(t, b) })
	for _, request := range b.Requests {
		assert.Regexp(t, "^(file|data|blob|about):", request, "no page asks a network")
	}
	assert.NotEmpty(t, b.Requests)
}

// check checks the links, pictures, code blocks and width of all pages.
func (s site) check(t *testing.T) {
	pictures, blocks := 0, map[string]int{}
	for _, at := range slices.Sorted(maps.Keys(s.pages)) {
		p := s.pages[at]
		for _, link := range p.Links {
			s.checkLink(t, at, link)
		}
		assert.Empty(t, p.Broken, "%s: pictures", at)
		assert.Empty(t, p.Plain, "%s: code without colours", at)
		assert.LessOrEqual(t, p.Wider, 0, "%s is wider than its window", at)
		assert.Empty(t, p.Scrolled, "%s: tables wider than their page", at)
		pictures += p.Pictures
		for language, n := range p.Blocks {
			blocks[language] += n
		}
	}
	assert.Greater(t, len(s.pages), 40)
	assert.Greater(t, pictures, 10)
	for _, language := range []string{"go", "python", "sh"} {
		assert.NotZero(t, blocks[language], language)
	}
}

func (s site) checkLink(t *testing.T, from, link string) {
	u, err := url.Parse(link)
	require.NoError(t, err, from)
	if u.Scheme != "file" {
		assert.Equal(t, "https", u.Scheme, "%s: %s", from, link)
		return
	}
	anchor := u.Fragment
	u.Fragment, u.RawFragment, u.RawQuery = "", "", ""
	to, ok := s.pages[u.String()]
	if !ok {
		info, err := os.Stat(u.Path)
		assert.True(t, err == nil && info.Mode().IsRegular(), "%s: there is no %s", from, link)
		return
	}
	assert.True(t, anchor == "" || slices.Contains(to.IDs, anchor), "%s: there is no anchor %s", from, link)
}

// own returns the address of a page in folder, and a word that only this page contains.
// The word's first six letters must not occur on other pages either, because the search
// would find those pages too.
func (s site) own(folder string) (at, word string) {
	for _, at := range slices.Sorted(maps.Keys(s.pages)) {
		if !strings.HasPrefix(at, folder) {
			continue
		}
		for _, word := range slices.Sorted(maps.Keys(s.pages[at].Words)) {
			if len(word) >= 9 && !s.elsewhere(at, word[:6]) {
				return at, word
			}
		}
	}
	return "", ""
}

// elsewhere reports whether letters occur on any page except the page with the given
// address, or among the other words of pages.
func (s site) elsewhere(at, letters string) bool {
	for _, words := range s.others {
		if strings.Contains(strings.Join(words, " "), letters) {
			return true
		}
	}
	for other, p := range s.pages {
		if other != at && strings.Contains(p.Text, letters) {
			return true
		}
	}
	return false
}

// search takes a word that occurs on only one page in folder, types it into the search
// form, and opens the only result.
func (s site) search(t *testing.T, b *browser.Browser, folder string) {
	at, word := s.own(folder)
	require.NotEmpty(t, word, "no page of %s has a word of its own", folder)
	require.Len(t, s.find(b, word), 1, word)
	b.Follow(func() {
		browser.Eval[bool](b, `(document.querySelector("#search-results li a").click(), true)`)
	})
	assert.Equal(t, at, strings.SplitN(address(b), "?", 2)[0], word)
}

// find types words into the search form, and returns the addresses of the results.
func (s site) find(b *browser.Browser, words string) []string {
	b.Load(s.root + "README.html")
	b.Follow(func() {
		browser.Eval[bool](b, `(() => {
			const input = document.querySelector("input[name=q]");
			input.value = "`+words+`";
			input.form.requestSubmit();
			return true;
		})()`)
	})
	return results(b)
}

// results returns the addresses that the search page lists.
func results(b *browser.Browser) []string {
	return browser.Eval[[]string](b, `new Promise(done => {
		const look = () => {
			const links = [...document.querySelectorAll("#search-results li a")];
			const over = document.querySelector("#search-results p.search-summary")?.textContent;
			over ? done(links.map(a => a.href)) : setTimeout(look, 10);
		};
		look();
	})`)
}

// others returns the other words of each page, by which the search finds it too.
func others(t *testing.T) (words map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/site/words.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &words))
	return words
}

// words checks that the search finds a page by its other words, such as docker for
// docs/deploy, among the first five results.
func (s site) words(t *testing.T, b *browser.Browser) {
	for page, words := range s.others {
		at := s.root + page + ".html"
		assert.Contains(t, s.pages, at, "docs/site/words.json names a page that is not there")
		for _, word := range words {
			b.Load(s.root + "search.html?q=" + url.QueryEscape(word))
			found := results(b)
			first := found[:min(len(found), 5)]
			assert.True(t, slices.ContainsFunc(first, func(f string) bool {
				f, _, _ = strings.Cut(f, "#")
				f, _, _ = strings.Cut(f, "?")
				return f == at
			}), "%q finds %d pages, and the first are %s", word, len(found), first)
		}
	}
}

// drawings checks that a page shows one of the two forms of each drawing: the light form on
// light pages, and the dark form on dark pages.
func (s site) drawings(t *testing.T, b *browser.Browser) {
	const shown = `[...document.querySelectorAll("article img.only-light, article img.only-dark")]
		.filter(i => i.checkVisibility()).map(i => i.src.replace(/.*\//, ""))`
	b.In(t, 1280, 900, false)
	b.Load(s.root + "docs/ownership.html")
	for _, theme := range []string{"light", "dark"} {
		switchTo(b, theme)
		all := browser.Eval[[]string](b, shown)
		assert.Len(t, all, 4, theme)
		for _, name := range all {
			assert.Contains(t, name, "."+theme+".svg")
		}
	}
}

// dark checks that pages are dark or light as the system prefers. After a click on the
// theme switch, this page and later pages follow the switch.
func (s site) dark(t *testing.T, b *browser.Browser) {
	b.In(t, 1280, 900, true)
	b.Load(s.root + "docs/leaks.html")
	assert.True(t, isDark(t, b), "the system prefers dark pages")
	b.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "light"}}}, nil)
	assert.False(t, isDark(t, b), "the system prefers light pages")
	code := color(b, ".highlight-go .kd")

	switchTo(b, "dark")
	assert.True(t, isDark(t, b), "switched to dark")
	assert.NotEqual(t, code, color(b, ".highlight-go .kd"), "colours of code")
	b.Load(s.root + "notebooks/tensors.html")
	assert.True(t, isDark(t, b), "still dark on the next page")
	switchTo(b, "light")
	assert.False(t, isDark(t, b), "switched to light")
	b.Load(s.root + "README.html")
	assert.False(t, isDark(t, b), "still light on the next page")
}

// switchTo clicks the theme switch until the page has the given theme.
func switchTo(b *browser.Browser, theme string) {
	for range 3 {
		if browser.Eval[string](b, `document.body.dataset.theme`) == theme {
			return
		}
		browser.Eval[bool](b,
			`([...document.querySelectorAll(".theme-toggle")].find(e => e.checkVisibility()).click(), true)`)
	}
}

func color(b *browser.Browser, selector string) string {
	return browser.Eval[string](b, `getComputedStyle(document.querySelector("`+selector+`")).color`)
}

var rgb = regexp.MustCompile(`^rgb\((\d+), `)

// isDark reports whether the page has a dark background. It fails unless the text is
// light on dark or dark on light.
func isDark(t *testing.T, b *browser.Browser) bool {
	background := browser.Eval[string](b, `getComputedStyle(document.body).backgroundColor`)
	back, text := rgb.FindStringSubmatch(background), rgb.FindStringSubmatch(color(b, "article p"))
	require.NotNil(t, back, background)
	require.NotNil(t, text)
	dark := len(back[1]) < 3 // the red component has fewer than three digits
	require.NotEqual(t, dark, len(text[1]) < 3, "background %s, text %s", background, text[0])
	return dark
}

func address(b *browser.Browser) string { return browser.Eval[string](b, `location.href`) }
