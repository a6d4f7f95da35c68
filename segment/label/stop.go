package label

import "strings"

// language is an index into stopLists; -1 if unknown.
type language int8

// stopLists holds the stop words of each language. The lists are short on
// purpose: function words of running text, which also identify its language.
// Entries of one list are unique and in lower case; apostrophes are ASCII.
var stopLists = []struct{ code, words string }{
	{"en", `a about above after again against all also am an and any are aren't as at be because been before being
below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each every few for
from further had hadn't has hasn't have haven't having he he's her here hers herself him himself his how however i i'd i'll i'm
i've if in into is isn't it it's its itself just let's like many may me might more most much must my myself no nor not now of off on once
only or other our ours out over own per same shall she she's should shouldn't so some such than that that's the their
theirs them themselves then there there's these they they're they've this those through to too under until up upon us very
via was wasn't we we'll we're we've were weren't what what's when where which while who whom whose why will with within
without won't would wouldn't yet you you'll you're you've your yours yourself`},
	{"zh", `的 了 和 是 在 就 都 而 及 与 與 着 著 或 一个 一個 没有 沒有 我们 我們 你们 你們 他们 他們 她们 她們 它们 它們
我 你 您 他 她 它 这 這 那 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡 哪 什么 什麼 怎么 怎麼 谁 誰 之 以 于 於
为 為 对 對 从 從 向 到 由 被 把 将 將 给 給 让 讓 使 比 等 也 还 還 又 再 很 更 最 太 不 不是 没 沒 无 無 非 有 可 可以 能
能够 能夠 会 會 要 应 應 应该 應該 必须 必須 但 但是 却 卻 因 因为 因為 所以 如果 若 则 則 虽然 雖然 而且 并 並 并且 並且
以及 及其 其 其中 其他 此 该 該 各 每 某 本 自己 上 下 中 内 內 外 里 裡 前 后 後 时 時 地 得 过 過 吗 嗎 呢 吧 啊 呀 哦
一 一些 一种 一種 已 已经 已經 正在 曾 只 才 刚 剛 即 来 來 去 个 個 们 們 所 者 至 按 据 據 关于 關於 对于 對於 通过 通過
根据 根據 进行 進行 当 當 时候 時候 这样 這樣 那样 那樣 如 如何 如此 以后 以後 以前 之后 之後 之前 目前 现在 現在 同时 同時
跟 同 且 乃 仍 便 凡 另 另外 并非 是否 为了 為了 除了 由于 由於 作为 作為`},
	{"de", `aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da damit
dann das dass daß dein deine dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch
ein eine einem einen einer eines er es etwas euch euer für gegen gibt hab habe haben hat hatte hatten hier hin hinter ich
ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen
keiner können könnte man mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr sein
seine seinem seinen seiner seit sich sie sind so soll sollte sondern sonst sowie über um und uns unser unsere unter vom
von vor war waren warum was weil welche welcher welches wenn wer werden wie wieder will wir wird wo wurde wurden würde zu
zum zur zwar zwischen`},
	{"fr", `à afin ai ainsi alors après au aucun aussi autre autres aux avant avec avoir ayant bien car ce ceci cela celle
celles celui ces cet cette ceux chaque chez ci comme comment dans de depuis des deux dont donc du elle elles en encore
entre est et étaient était étant être eu eux faire fait fut ici il ils je la là le les leur leurs lors lui ma mais me même
mes moi moins mon ne ni non nos notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi quand que quel
quelle quelles quels qui sa sans se sera ses si soit son sont sous sur ta te tes toi ton tous tout toute toutes très tu un
une vers voici vos votre vous y`},
	{"es", `a al algo algunas algunos ante antes aquí así aún aunque cada como cómo con contra cual cuál cuando de del desde
donde dos durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto
estos fue fueron ha había han hasta hay la las le les lo los mas más me mi mis mismo mucho muy nada ni no nos nosotros
nuestra nuestro o os otra otras otro otros para pero poco por porque que qué quien quién se sea ser si sí sido sin sobre
son su sus también tan tanto te tiene tienen toda todas todo todos tu tus un una uno unos usted y ya yo`},
	{"it", `a ad agli ai al alla alle allo anche ancora avere aveva c'è che chi ci col come con contro cui da dagli dai dal
dalla dalle dallo degli dei del della delle dello dentro di dopo dove due e è ed era erano essere fra gli ha hai hanno ho
i il in io la le lei li lo loro lui ma me mi mia mio molto ne negli nei nel nella nelle nello noi non nostra nostro o ogni
oppure per perché però più poi prima può qua quale quali quando quanto quella quelle quelli quello questa queste questi
questo qui se sei senza si sia siamo siete solo sono sopra sotto sta stata stato su sua sue sugli sui sul sulla sulle
sullo suo suoi tra tu tua tuo tutta tutte tutti tutto un una uno vi voi`},
	{"pt", `a à ainda ao aos aquela aquele aqueles aquilo as às até cada com como da das de dela dele deles depois do dos e é
ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este estes eu foi foram há isso isto já
lhe lhes mais mas me mesmo meu meus minha muito muitos na não nas nem no nos nós nossa nosso num numa o onde os ou para
pela pelas pelo pelos pode por porque qual quando que quem são se seja sem ser será seu seus só sob sobre sua suas também
tem têm todo todos tu tudo um uma umas uns você vocês`},
	{"nl", `aan al alle alles als altijd ander andere ben bij daar dan dat de deze die dit doch doen door dus een en er ge
geen had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij jouw jullie kan kon kunnen maar me meer
men met mij mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit
uw van veel voor want waren was wat we wel werd wezen wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder
zou`},
	{"ru", `а без более бы был была были было быть в вам вас весь во вот все всё всего всех вы где да даже для до его ее её
если есть еще ещё же за здесь и из или им их к как какая какой когда кто ли либо между меня мне много может можно мой мы
на над надо наш не него нее неё нет ни них но ну о об один однако он она они оно от очень по под после потом потому почти
при про с сам свой себя со так также такой там те тем то того тоже той только том ты у уже хотя чего чей чем через что
чтобы чье эта эти это этого этой этот я`},
	{"sv", `alla allt att av blev bli blir då de dem den denna deras dess dessa det detta dig din du där efter ej eller en
er ett från för ha hade han hans har hon här i icke ingen inom inte jag ju kan kunde man med mellan men mer mig min mot
mycket när någon något några nu och om oss på samma sedan sig sin sitt själv ska skall skulle som så sådan till under upp
ut utan vad var vara vi vid vilka vilken än är även över`},
	{"no", `alle at av bare ble bli blir da de deg den denne der dere deres det dette din du eller en enn er et etter for
fordi fra få ha hadde han hans har her hos hun hva hvem hvis hvor hvordan i ikke ingen jeg kan kunne man med meg mellom men
mer min mot mye må noe noen nå når og også om opp oss over på så seg selv sin skal skulle som til um under ut uten vært
var ved vi vil ville være`},
	{"da", `af alle alt at blev blive bliver da de dem den denne der deres det dette dig din disse du efter eller en end er
et for fordi fra få ham han hans har havde hende her hos hun hvad hvem hvis hvor i ikke ind jeg jo kan kunne man mange med
meget men mere mig min mod mellem nogle noget nogen nu når og også om op os over på sig sin skal skulle som så til ud
uden under var ved vi vil ville vor være været`},
	{"fi", `ei eikä emme en eivät että ettei he hän häntä hänen ja jo joka jolla jonka jos jossa jotka joten kanssa kuin
kuitenkin kun kunnes me mikä minä minun missä mitä mukaan mutta myös ne niin niitä noin nyt ole oli olla olivat on ovat
se sekä sen siellä siitä sillä sinä sitten sitä tai tämä tämän tässä tätä te tuo vaan vaikka vai vain voi`},
	{"hu", `a abban ahhoz ahogy aki akik amely amelyek ami amit az azok azon azt be bár csak de e ebben egy egyik el elő és
ez ezek ezen ezért ezt fel ha hanem hogy hogyan igen ill is itt jól kell ki le lehet lesz lett már még meg mely melyek mert
mi mint mit most nagy ne nekem nem nincs olyan ott ő ők pedig s saját sem sok szerint számára talán úgy után van vagy vagyok
valamint való volt volna`},
	{"ko", `그 이 저 것 수 등 및 또는 그리고 하지만 그러나 있는 있다 하는 한다 위한 대한 통해 위해 더 를 을 은 는 가 의 에
에서 으로 로 와 과 도`},
	{"ja", `これは それは あれは これを それを これが それが の に は を た が で て と し れ さ ある いる も する から な こと として い や れる など なっ ない この ため その あっ
よう また もの という あり まで られ なる へ か だ これ によって により おり より による ず なり られる において ば なかっ なく
しかし について せ だっ その後 できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり その他 に関する
たち ます ん なら に対して です でした ました ません しました します された される している していた ください にて には では とは
との への からの までの`},
}

const none language = -1

// stopwords maps a word to the set of languages in which it is a stop word: bit
// i is stopLists[i].
type stopwords map[string]uint32

func newStopwords() stopwords {
	s := make(stopwords, 2500)
	for i := range stopLists {
		for w := range strings.FieldsSeq(stopLists[i].words) {
			s[w] |= 1 << i
		}
	}
	return s
}

// languageOf returns the index of an ISO 639-1 code, or none without a stop list.
func languageOf(code string) language {
	for i := range stopLists {
		if stopLists[i].code == code {
			return language(i)
		}
	}
	return none
}

// in reports whether bits, as stored in stopwords, contains l.
func (l language) in(bits uint32) bool { return l >= 0 && bits>>uint(l)&1 != 0 }
