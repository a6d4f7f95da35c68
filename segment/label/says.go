package label

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// saysRights reports whether a text names the owner of the rights in the page.
func saysRights(text string) bool {
	for i := range len(text) {
		for _, w := range rightsWords[text[i]] {
			if strings.HasPrefix(text[i:], w) {
				return true
			}
		}
	}
	return false
}

// rightsWords are by their first byte.
var rightsWords = func() (by [256][]string) {
	for _, w := range []string{"©", "(c)", "(C)", "Copyright", "copyright", "ights reserved", "owered by", "版权所有", "版權所有"} {
		by[w[0]] = append(by[w[0]], w)
	}
	return by
}()

// besideTitle reports whether a text is one of the titles that blogs and newspapers put above the
// boxes beside their texts.
func besideTitle(text string) bool {
	if len(text) > maxTitle {
		return false
	}
	var buf [maxTitle + utf8.UTFMax]byte
	lower, ok := lowerInto(buf[:], strings.TrimSpace(text))
	return ok && besideTitles[string(bytes.TrimRight(lower, ":"))]
}

// maxTitle is longer than each of besideTitles with the blanks around it, in bytes.
const maxTitle = 60

var besideTitles = func() map[string]bool {
	m := map[string]bool{}
	for t := range strings.SplitSeq(besideList, ",") {
		m[strings.TrimSpace(t)] = true
	}
	return m
}()

const besideList = `archive, archives, categories, category, tags, tag cloud, labels, blogroll, meta, recent posts, recent articles,
recent comments, latest posts, latest articles, latest news, latest comments, recent entries, popular posts, popular tags, most popular,
most read, most viewed, trending, top stories, related posts, related articles, related links, you may also like, featured posts,
about me, about the author, about this blog, follow us, follow me, connect with us, stay connected, subscribe, newsletter, newsletters,
social, calendar, sponsors, advertisement, recommended,
archiv, archive, kategorien, schlagwörter, neueste beiträge, letzte beiträge, neueste kommentare, letzte kommentare, meistgelesen,
catégories, étiquettes, mots-clés, articles récents, commentaires récents, les plus lus, suivez-nous, archivo, archivos, categorías,
etiquetas, entradas recientes, comentarios recientes, lo más leído, síguenos, archivio, categorie, articoli recenti, commenti recenti,
categorias, arquivo, arquivos, posts recentes, artigos recentes, архив, архивы, рубрики, метки, свежие записи, свежие комментарии,
分类, 标签, 标签云, 归档, 文章归档, 文章分类, 最新文章, 最近文章, 最新评论, 热门文章, 友情链接, 分類, 標籤, カテゴリー, タグ, アーカイブ, 最近の投稿`
