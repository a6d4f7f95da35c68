package topic

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// classes are the second level of each main class, in the order of the tables.
var classes = map[string]string{
	"A": "A1 A2 A3 A4 A49 A5 A7 A8",
	"B": "B0 B1 B2 B3 B4 B5 B6 B7 B80 B81 B82 B83 B84 B9",
	"C": "C0 C1 C2 C3 C4 C5 C6 C7 C79 C8 C91 C92 C93 C94 C95 C96 C97",
	"D": "D0 D1 D2 D33/37 D4 D5 D6 D73/77 D8 D9",
	"E": "E0 E1 E2 E3/7 E8 E9 E99",
	"F": "F0 F1 F2 F3 F4 F49 F5 F59 F6 F7 F8",
	"G": "G0 G1 G2 G3 G4 G5 G6 G7 G8",
	"H": "H0 H1 H2 H3 H4 H5 H61 H62 H63 H64 H65 H66 H67 H7 H81 H83 H84 H9",
	"I": "I0 I1 I2 I3/7",
	"J": "J0 J1 J19 J2 J29 J3 J4 J5 J59 J6 J7 J8 J9",
	"K": "K0 K1 K2 K3 K4 K5 K6 K7 K81 K85 K89 K9",
	"N": "N0 N1 N2 N3 N4 N5 N6 N7 N79 N8 N91 N93 N94 N99",
	"O": "O1 O3 O4 O6 O7",
	"P": "P1 P2 P3 P4 P5 P7 P9",
	"Q": "Q1 Q2 Q3 Q4 Q5 Q6 Q7 Q81 Q89 Q91 Q93 Q94 Q95 Q96 Q98",
	"R": "R1 R2 R3 R4 R5 R6 R71 R72 R73 R74 R75 R76 R77 R78 R79 R8 R9",
	"S": "S1 S2 S3 S4 S5 S6 S7 S8 S9",
	"T": "T-0 T-1 T-2 T-6 T-9 TB TD TE TF TG TH TJ TK TL TM TN TP TQ TS TU TV",
	"U": "U1 U2 U4 U6 U8",
	"V": "V1 V2 V4 V7",
	"X": "X1 X2 X3 X4 X5 X7 X8 X9",
	"Z": "Z1 Z2 Z3 Z4 Z5 Z6 Z8",
}

func TestTheReadyTreeHasEveryClass(t *testing.T) {
	mains := slices.Sorted(maps.Keys(classes))
	var got []string
	second := 0
	for _, r := range Ready().Roots {
		got = append(got, r.ID)
		var ids []string
		for _, c := range r.Topics {
			ids = append(ids, c.ID)
			if c.Parent != r.ID || len(c.Topics) > 0 {
				t.Errorf("%s is below %s and has %d topics", c.ID, c.Parent, len(c.Topics))
			}
		}
		second += len(ids)
		if is := strings.Join(ids, " "); is != classes[r.ID] {
			t.Errorf("below %s are %s, want %s", r.ID, is, classes[r.ID])
		}
	}
	if !slices.Equal(got, mains) || len(mains) != 22 || second != 235 || len(Ready().All()) != 257 {
		t.Errorf("the classes are %v and %d below them; want 22 and 235", got, second)
	}
}

// Names that two classes of the tables have.
var sameName = []string{"系统科学", "非书资料、视听资料", "工业经济"}

func TestReadyTopicsAreDescribedInBothLanguages(t *testing.T) {
	byName := map[string]string{}
	for _, o := range Ready().All() {
		if o.Description == "" || len(o.Names) != 2 || len(o.Terms) != 2 {
			t.Errorf("%s: description %q, names %v, terms in %d languages", o.ID, o.Description, o.Names, len(o.Terms))
		}
		for _, l := range []string{"zh", "en"} {
			name := o.Names[l]
			if other := byName[l+name]; other != "" && !slices.Contains(sameName, name) {
				t.Errorf("%s and %s have the name %q", other, o.ID, name)
			}
			byName[l+name] = o.ID
			if chinese := strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Han, r) }); chinese != (l == "zh") {
				t.Errorf("%s: the name in %s is %q", o.ID, l, name)
			}
			// Terms that are doubled are left out in reading, so that they are missing here.
			if n := len(o.Terms[l]); n < 12 {
				t.Errorf("%s has %d terms in %s, want 12", o.ID, n, l)
			}
			for _, term := range o.Terms[l] {
				chinese := strings.ContainsFunc(term, func(r rune) bool { return unicode.Is(unicode.Han, r) })
				latin := strings.ContainsFunc(term, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) })
				if l == "en" && chinese || !chinese && !latin || !word(term) {
					t.Errorf("%s: a term in %s is %q", o.ID, l, term)
				}
			}
		}
	}
}

// The file is in its final form: it contains nothing that clean would remove or change.
func TestTheFileOfReadyTopicsIsClean(t *testing.T) {
	_, written, _ := strings.Cut(string(readyFile), "\n\n")
	if string(Ready().YAML()) != written {
		t.Error("the file differs from what YAML returns: a term is doubled, or has spaces around it")
	}
}

// Terms shared by many classes do not distinguish them.
func TestReadyTermsAreCharacteristic(t *testing.T) {
	for _, l := range []string{"zh", "en"} {
		everywhere := map[string][]string{}
		for _, r := range Ready().Roots {
			siblings := map[string][]string{}
			for _, c := range r.Topics {
				for _, term := range c.Terms[l] {
					siblings[fold(term)] = append(siblings[fold(term)], c.ID)
				}
			}
			for term, ids := range siblings {
				if len(ids) > 2 {
					t.Errorf("%q is a term of %v", term, ids)
				}
				everywhere[term] = append(everywhere[term], ids...)
			}
		}
		for term, ids := range everywhere {
			if len(ids) > 4 {
				t.Errorf("%q is a term of %v", term, ids)
			}
		}
		own := map[string]string{}
		for _, o := range Ready().All() {
			terms := slices.Clone(o.Terms[l])
			slices.Sort(terms)
			key := strings.Join(terms, "\n")
			if own[key] != "" {
				t.Errorf("%s and %s have the same terms", own[key], o.ID)
			}
			own[key] = o.ID
		}
	}
}

// The texts are written for this test, as pages on the topic begin. Counting terms is the
// least that a measure of relevance does.
func TestTextsHaveTheTermsOfTheirTopic(t *testing.T) {
	for want, texts := range map[string][]string{
		"TP": {"本教程介绍如何用源代码编译器和数据库编程，讲解常用算法与软件架构。", "The server runs an operating system written by a programmer; its source code and database are open."},
		"R5": {"高血压和糖尿病患者应警惕冠心病与心力衰竭。", "Patients with hypertension and diabetes have a higher risk of heart failure and kidney disease."},
		"R2": {"老中医用针灸和艾灸调理经络，方剂出自伤寒论。", "Acupuncture works on meridian points; Chinese herbs and moxibustion are used in traditional Chinese medicine."},
		"F8": {"央行下调利率，股票与债券基金上涨，贷款成本下降。", "The central bank raised its interest rate; stock and bond prices fell with inflation."},
		"G8": {"中国运动员在奥运会乒乓球和游泳比赛中夺冠。", "The coach praised every athlete after the basketball match at the Olympic Games."},
		"I2": {"红楼梦与三国演义、水浒传、西游记并称四大名著。", "Among Chinese novels, Dream of the Red Chamber and Journey to the West stand beside Tang poetry."},
		"J6": {"贝多芬的交响乐与钢琴作品旋律优美，作曲家精通和声。", "The composer wrote a symphony and a song for piano and violin; the melody is simple."},
		"P1": {"望远镜拍到银河系的黑洞、星云和超新星。", "The telescope saw a supernova near a black hole in a distant galaxy and a nebula."},
		"Q91": {"白垩纪地层出土恐龙化石，伴有菊石和琥珀。",
			"A dinosaur fossil from the Cretaceous was found with an ammonite in amber."},
		"S6": {"番茄、黄瓜等蔬菜的栽培与果树嫁接、修剪技术。", "Pruning and grafting fruit trees, and growing vegetables and roses: gardening for beginners."},
		"U2": {"高铁动车组列车运行依靠信号系统、轨道和道岔。", "High-speed rail needs new railway signalling, rail track and rolling stock at every railway station."},
		"X5": {"雾霾和PM2.5是大气污染，水污染与土壤污染同样严重。", "Smog and PM2.5 are air pollution; acid rain and water pollution follow."},
		"B2": {"孔子与孟子是儒家，老子与庄子是道家，论语和道德经流传至今。", "Confucius and Mencius taught Confucianism; Laozi wrote the Tao Te Ching."},
		"K85": {"考古发掘在三星堆遗址出土青铜器，墓葬中有文物。",
			"The excavation of the tomb uncovered an artifact at the archaeological site, a triumph of archaeology."},
		"TS": {"纺织面料印染后制成服装；食品加工与烹饪菜谱。", "A recipe for cooking with dairy products; textile and fabric dyeing for clothing."},
	} {
		for _, text := range texts {
			count := func(o *Topic) (n int) {
				for _, terms := range o.Terms {
					for _, term := range terms {
						if strings.Contains(fold(text), fold(term)) {
							n++
						}
					}
				}
				return n
			}
			var second []*Topic
			for _, r := range Ready().Roots {
				second = append(second, r.Topics...)
			}
			best := slices.MaxFunc(second, func(a, b *Topic) int { return cmp.Compare(count(a), count(b)) })
			if best.ID != want || count(best) < 3 {
				t.Errorf("%q has %d terms of %s, want most of %s", text, count(best), best.ID, want)
			}
		}
	}
}
