// Writes pages of npm packages into site/, and their scripts into site/b/. The folder that it runs in has
// node_modules; see ../packages.go. Each page is one way in which a package brings its text.
import fs from 'node:fs';
import { build } from 'esbuild';

const words = (k, n) => Array.from({ length: n }, (_, i) => k + 'w' + i).join(' ');
const paragraphs = (k, n, of) => Array.from({ length: n }, (_, i) => `<p>${words(k + i + 'p', of)}</p>`).join('');
fs.rmSync('site', { recursive: true, force: true });
fs.mkdirSync('site/b', { recursive: true });

// What every page has: answers of the interface after D ms, and the place for its text.
const start = `const D=new URLSearchParams(location.search).get('d')||0,api=(k,n,what='words',more='')=>'/api/'+what+'?k='+k+'&n='+n+'&d='+D+more,
$=(s)=>document.querySelector(s),get=(u)=>fetch(u).then(r=>r.json()),sleep=(ms)=>new Promise(r=>setTimeout(r,ms)),
words=(k,n)=>Array.from({length:n},(_,i)=>k+'w'+i).join(' '),
put=(t,tag='p',to=$('#app'))=>{const e=document.createElement(tag);e.textContent=t;to.append(e);return e};`;

const pages = [];
// page adds a page. The script is a module and may import packages; css too.
const page = (name, { d = 0, css = '', head = '', body = '<div id=app></div>', js = '', jsx = false }) => pages.push({ name, d, css, head, body, js, jsx });

// Documentation, and references of interfaces.
page('scalar', { d: 400, body: '<div id=app></div><script src=/nm/@scalar/api-reference/dist/browser/standalone.js></script>',
  js: `Scalar.createApiReference('#app',{url:'/spec.json?d='+D,agent:{disabled:true},telemetry:false,withDefaultFonts:false})` });
page('openapi-explorer', { d: 100, body: '<openapi-explorer id=e></openapi-explorer><script type=module src=/nm/openapi-explorer/dist/browser/openapi-explorer.min.js></script>',
  js: `$('#e').setAttribute('spec-url',location.origin+'/spec.json?d='+D)` });
page('marked', { d: 100, css: `body{margin:0}#app{height:100vh;overflow:auto}section{content-visibility:auto;contain-intrinsic-size:auto 400px;padding:8px 24px}`,
  js: `import {marked} from 'marked';
for(let i=0;i<12;i++){const s=put('','section');get(api('chapter'+i,60)).then(r=>{s.innerHTML=marked.parse('## Chapter '+i+'\\n\\n'+r.text.replace(/((?:\\S+ ){10})/g,'$1\\n\\n')+'\\n\\n| a | b |\\n|---|---|\\n| cell'+i+' | next'+i+' |')})}` });
page('katex', { d: 400, css: `@import './node_modules/katex/dist/katex.css';`, js: `import render from 'katex/contrib/auto-render';
const r=await get(api('formula',60));$('#app').innerHTML='<p>'+r.text+'</p>'+Array.from({length:10},(_,i)=>'<p>theorem'+i+' says \\\\(a_{'+i+'}=\\\\frac{x^2+'+i+'}{\\\\sqrt{y}}\\\\) and'+i+' so</p>').join('');render($('#app'))` });
page('mathjax', { d: 100, body: `<div id=app></div><script>MathJax={startup:{typeset:false}}</script><script src=/nm/mathjax/es5/tex-chtml.js></script>`,
  js: `const r=await get(api('prose',80));$('#app').innerHTML='<p>'+r.text+'</p>'+Array.from({length:10},(_,i)=>'<p>lemma'+i+' has \\\\(\\\\alpha_{'+i+'}=\\\\int_0^1 f(x)\\\\,dx\\\\) proof'+i+'</p>').join('');await MathJax.startup.promise;MathJax.typesetPromise()` });

// Documents: the text of a page is laid over its picture, filled by a worker.
const pdf = `import * as pdfjs from '/nm/pdfjs-dist/build/pdf.min.mjs';pdfjs.GlobalWorkerOptions.workerSrc='/nm/pdfjs-dist/build/pdf.worker.min.mjs';`;
page('pdfjs-layer', { d: 100, css: `@import './node_modules/pdfjs-dist/web/pdf_viewer.css';.page{position:relative;margin:12px auto;border:1px solid;width:612px;height:792px}`,
  js: `${pdf}const doc=await pdfjs.getDocument('/delay/'+D+'/book.pdf').promise;
for(let n=1;n<=doc.numPages;n++){const box=put('','div');box.className='page';box.style.setProperty('--total-scale-factor',1);
const seen=new IntersectionObserver(async([e])=>{if(!e.isIntersecting)return;seen.disconnect();const p=await doc.getPage(n),viewport=p.getViewport({scale:1});
const c=document.createElement('canvas');c.width=viewport.width;c.height=viewport.height;box.append(c);await p.render({canvas:c,canvasContext:c.getContext('2d'),viewport}).promise;
const layer=document.createElement('div');layer.className='textLayer';box.append(layer);await new pdfjs.TextLayer({textContentSource:p.streamTextContent(),container:layer,viewport}).render()});seen.observe(box)}` });
page('pdfjs-viewer', { d: 400, css: `@import './node_modules/pdfjs-dist/web/pdf_viewer.css';#outer{position:absolute;inset:0;overflow:auto}`, body: '<div id=outer><div id=app class=pdfViewer></div></div>',
  js: `${pdf}globalThis.pdfjsLib=pdfjs;const v=await import('/nm/pdfjs-dist/web/pdf_viewer.mjs');const eventBus=new v.EventBus(),linkService=new v.PDFLinkService({eventBus});
const viewer=new v.PDFViewer({container:$('#outer'),viewer:$('#app'),eventBus,linkService});linkService.setViewer(viewer);
const doc=await pdfjs.getDocument('/delay/'+D+'/book.pdf').promise;viewer.setDocument(doc);linkService.setDocument(doc)` });

// Editors.
const code = `(await get(api('code',360))).text.replace(/((?:\\S+ ){6})/g,'$1\\n')`;
page('codemirror', { d: 400, css: '.cm-editor{max-height:500px}', js: `import {basicSetup,EditorView} from 'codemirror';import {javascript} from '@codemirror/lang-javascript';
new EditorView({doc:${code},extensions:[basicSetup,javascript()],parent:$('#app')})` });
page('ace', { d: 100, js: `import ace from 'ace-builds/src-min-noconflict/ace';import 'ace-builds/src-min-noconflict/mode-javascript';
ace.config.set('loadWorkerFromBlob',false);const e=ace.edit($('#app'),{mode:'ace/mode/javascript',useWorker:false,maxLines:80});e.setValue(${code},-1)` });
const prose = (k) => `(await get(api('${k}',90))).text.replace(/((?:\\S+ ){15})/g,'$1\\n').split('\\n')`;
page('tiptap', { d: 1500, js: `import {Editor} from '@tiptap/core';import StarterKit from '@tiptap/starter-kit';
const e=new Editor({element:$('#app'),extensions:[StarterKit],content:'<p>Loading</p>'});e.commands.setContent('<h2>A letter</h2>'+${prose('tip')}.map(t=>'<p>'+t+'</p>').join('')+'<ul><li><p>one item</p></li></ul>')` });
page('quill', { d: 400, css: `@import './node_modules/quill/dist/quill.snow.css';`, js: `import Quill from 'quill';const q=new Quill('#app',{theme:'snow',modules:{toolbar:[['bold','italic'],[{header:[1,2,false]}]]}});
q.setText('Loading');q.setContents(${prose('quill')}.flatMap((t,i)=>[{insert:t,attributes:i%2?{bold:true}:{}},{insert:'\\n'}]))` });
page('lexical', { d: 100, body: '<div id=app contenteditable></div>', js: `import {createEditor,$getRoot,$createParagraphNode,$createTextNode} from 'lexical';
import {registerRichText} from '@lexical/rich-text';const e=createEditor({namespace:'n',onError(x){throw x}});e.setRootElement($('#app'));registerRichText(e);
const t=${prose('lex')};e.update(()=>{for(const x of t)$getRoot().append($createParagraphNode().append($createTextNode(x)))})` });

// Dashboards and charts.
page('gridstack', { d: 400, css: `@import './node_modules/gridstack/dist/gridstack.css';.grid-stack-item-content{background:#eef;padding:8px}`, body: '<div id=app class=grid-stack></div>',
  js: `import {GridStack} from 'gridstack';GridStack.renderCB=(e,w)=>{e.textContent=w.content};const g=GridStack.init({animate:true,cellHeight:140});
for(let i=0;i<9;i++){const e=g.addWidget({w:4,h:1,content:'Loading panel'+i});setTimeout(()=>get(api('panel'+i,12)).then(r=>{e.firstElementChild.textContent='Panel '+r.text}),60*i)}` });
const table = `const names=['north','south','east','west','upper','lower','inner','outer'],rows=(await get(api('bar',8,'list'))).items.map((x,i)=>({name:names[i],value:10+i*7%40,title:x.title}));`;
page('apexcharts', { d: 400, js: `import Apex from 'apexcharts';${table}new Apex($('#app'),{chart:{type:'bar',height:420},title:{text:'Income by region and year'},series:[{name:'income',data:rows.map(r=>r.value)},{name:'costs',data:rows.map(r=>r.value/2)}],xaxis:{categories:names},dataLabels:{enabled:true}}).render()` });
page('echarts', { d: 100, js: `import * as echarts from 'echarts';${table}$('#app').style.height='420px';const c=echarts.init($('#app'),null,{renderer:'svg'});
c.setOption({title:{text:'Output of mills'},legend:{},xAxis:{type:'category',data:names},yAxis:{},series:[{name:'first',type:'bar',label:{show:true,formatter:'{b} label'},data:rows.map(r=>r.value)}]});
setTimeout(()=>c.setOption({title:{text:'Output of mills and quarries'},series:[{name:'first',data:rows.map(r=>r.value+1)}]}),900)` });
page('vega', { d: 400, js: `import embed from 'vega-embed';${table}embed('#app',{width:600,height:300,title:'Weights of eight kinds',data:{values:rows},mark:'bar',encoding:{x:{field:'name',type:'nominal'},y:{field:'value',type:'quantitative'},color:{field:'title',type:'nominal'}}},{renderer:'svg'})` });
page('plotly', { d: 0, body: '<div id=app></div><script src=/nm/plotly.js-dist-min/plotly.min.js></script>', js: `${table}Plotly.newPlot('app',[{type:'bar',name:'series one',x:names,y:rows.map(r=>r.value),text:rows.map(r=>r.title)},{type:'scatter',name:'series two',x:names,y:rows.map(r=>r.value/2)}],{title:{text:'Lines and bars together'}})` });
page('recharts', { d: 400, jsx: true, js: `import React from 'react';import {createRoot} from 'react-dom/client';import {BarChart,Bar,XAxis,YAxis,Legend,LabelList,Tooltip} from 'recharts';${table}
createRoot($('#app')).render(<BarChart width={900} height={400} data={rows}><XAxis dataKey="name"/><YAxis/><Legend/><Tooltip/><Bar dataKey="value" fill="#88d"><LabelList dataKey="title" position="top"/></Bar></BarChart>)` });
page('nivo', { d: 100, jsx: true, js: `import React from 'react';import {createRoot} from 'react-dom/client';import {Bar} from '@nivo/bar';${table}
function Chart(){const [data,set]=React.useState(rows.slice(0,4));React.useEffect(()=>{setTimeout(()=>set(rows),1000)},[]);return <Bar width={900} height={400} data={data} indexBy="name" keys={['value']} label={(d)=>'bar '+d.indexValue} margin={{top:20,left:40,bottom:40}} axisBottom={{legend:'regions of the country'}}/>}
createRoot($('#app')).render(<Chart/>)` });
page('d3', { d: 100, css: 'text{font:14px sans-serif}', body: '<div id=app></div><script src=/nm/d3/dist/d3.min.js></script>', js: `${table}const svg=d3.select('#app').append('svg').attr('width',900).attr('height',400);
const show=(list,state)=>{const t=svg.selectAll('text').data(list,d=>state+d.name);t.exit().transition().duration(750).style('opacity',0).remove();
t.enter().append('text').attr('x',20).attr('y',(d,i)=>30+i*40).text(d=>state+' '+d.name+' '+d.title).style('opacity',0).transition().delay((d,i)=>i*120).duration(750).style('opacity',1)};
show(rows.slice(0,5),'spring');setTimeout(()=>show(rows,'autumn'),1200)` });
page('frappe-charts', { d: 400, js: `import {Chart} from 'frappe-charts/dist/frappe-charts.min.esm.js';${table}new Chart('#app',{title:'Visits of each ward',type:'bar',height:300,data:{labels:names,datasets:[{name:'visits',values:rows.map(r=>r.value)}]}})` });
page('vis-timeline', { d: 100, css: `@import './node_modules/vis-timeline/styles/vis-timeline-graph2d.min.css';`, body: '<div id=app></div><script src=/nm/vis-timeline/standalone/umd/vis-timeline-graph2d.min.js></script>',
  js: `const l=(await get(api('event',10,'list'))).items;new vis.Timeline($('#app'),new vis.DataSet(l.map((x,i)=>({id:i,content:x.title,start:'2024-0'+(1+i%9)+'-10'}))),{})` });

// Maps.
page('leaflet', { d: 400, css: `@import './node_modules/leaflet/dist/leaflet.css';#app{height:500px}.tile{border:1px solid #ccc}`, js: `import L from 'leaflet';const m=L.map('app').setView([50,10],5);
const Tiles=L.GridLayer.extend({createTile(c,done){const e=document.createElement('div');e.className='tile';get(api('tile'+c.x+'x'+c.y,3)).then(r=>{e.textContent=r.text;done(null,e)});return e}});new Tiles().addTo(m);
const l=(await get(api('place',8,'list'))).items;l.forEach((x,i)=>L.marker([48+i%4,6+i],{icon:L.divIcon({html:i,iconSize:[20,20]})}).addTo(m).bindTooltip(x.title,{permanent:true}))` });
page('ol', { d: 100, css: `@import './node_modules/ol/ol.css';#app{height:500px}.mark{background:#ffd;padding:2px}`, js: `import Map from 'ol/Map';import View from 'ol/View';import Overlay from 'ol/Overlay';import Vector from 'ol/layer/Vector';import Source from 'ol/source/Vector';
const m=new Map({target:'app',layers:[new Vector({source:new Source()})],view:new View({center:[0,0],zoom:3})});
for(const [i,x] of (await get(api('town',8,'list'))).items.entries()){const e=document.createElement('div');e.className='mark';e.textContent=x.title;m.addOverlay(new Overlay({element:e,position:[-4e6+i*1e6,-3e6+i*8e5]}))}` });

// Data grids.
const list = (k, n) => `const items=(await get(api('${k}',${n},'list'))).items;`;
page('ag-grid', { d: 400, css: '#app{height:600px}', js: `import {createGrid,ModuleRegistry,AllCommunityModule} from 'ag-grid-community';ModuleRegistry.registerModules([AllCommunityModule]);
const g=createGrid($('#app'),{columnDefs:[{field:'id',width:90},{field:'title',width:300},{field:'text',width:500}],rowData:null});${list('ag', 60)}g.setGridOption('rowData',items)` });
page('tabulator', { d: 100, css: `@import './node_modules/tabulator-tables/dist/css/tabulator.css';`, js: `import {TabulatorFull as T} from 'tabulator-tables';${list('tab', 80)}new T('#app',{height:500,data:items,columns:[{title:'Number',field:'id'},{title:'Name',field:'title'},{title:'Words',field:'text'}]})` });
page('handsontable', { d: 400, css: `@import './node_modules/handsontable/styles/handsontable.css';@import './node_modules/handsontable/styles/ht-theme-main.css';`, body: '<div id=app></div><script src=/nm/handsontable/dist/handsontable.full.min.js></script>',
  js: `const h=new Handsontable($('#app'),{themeName:'ht-theme-main',data:[],rowHeaders:true,colHeaders:['Number','Name','Words'],height:500,width:1000,licenseKey:'non-commercial-and-evaluation'});${list('hot', 70)}h.loadData(items.map(x=>[x.id,x.title,x.text]))` });
page('datatables', { d: 100, css: `@import './node_modules/datatables.net-dt/css/dataTables.dataTables.css';`, body: '<table id=app></table>', js: `import DataTable from 'datatables.net-dt';${list('dt', 40)}new DataTable('#app',{data:items,pageLength:25,columns:[{data:'id',title:'Number'},{data:'title',title:'Name'},{data:'text',title:'Words'}]})` });
page('gridjs', { d: 1500, css: `@import './node_modules/gridjs/dist/theme/mermaid.css';`, js: `import {Grid} from 'gridjs';new Grid({columns:['Number','Name','Words'],search:true,pagination:{limit:20},server:{url:api('gj',40,'list'),then:d=>d.items.map(x=>[x.id,x.title,x.text])}}).render($('#app'))` });

// Carousels: one slide after the other is in view.
const slides = (k, wrap) => `${list(k, 6)}${wrap}=items.map(x=>`;
page('keen-slider', { d: 100, css: `@import './node_modules/keen-slider/keen-slider.css';`, body: '<div id=app class=keen-slider></div>', js: `import Keen from 'keen-slider';${slides('keen', "$('#app').innerHTML")}'<div class=keen-slider__slide><h2>'+x.title+'</h2><p>'+x.text+'</p></div>').join('');new Keen('#app',{slides:{perView:3,spacing:10}})` });
page('embla', { d: 400, css: '.e{overflow:hidden}#app{display:flex}#app>div{flex:0 0 50%}', body: '<div class=e><div id=app></div></div>', js: `import Embla from 'embla-carousel';${slides('embla', "$('#app').innerHTML")}'<div><h2>'+x.title+'</h2><p>'+x.text+'</p></div>').join('');Embla($('.e'),{loop:true})` });
page('splide', { d: 100, css: `@import './node_modules/@splidejs/splide/dist/css/splide.min.css';`, body: '<div class=splide><div class=splide__track><ul class=splide__list id=app></ul></div></div>', js: `import Splide from '@splidejs/splide';${slides('splide', "$('#app').innerHTML")}'<li class=splide__slide><h2>'+x.title+'</h2><p>'+x.text+'</p></li>').join('');new Splide('.splide',{perPage:2}).mount()` });
page('flickity', { d: 0, css: `@import './node_modules/flickity/css/flickity.css';.cell{width:40%;margin-right:10px}`, js: `import Flickity from 'flickity';${slides('flick', "$('#app').innerHTML")}'<div class=cell><h2>'+x.title+'</h2><p>'+x.text+'</p></div>').join('');new Flickity('#app',{autoPlay:1500,wrapAround:false})` });
page('glide', { d: 400, css: `@import './node_modules/@glidejs/glide/dist/css/glide.core.css';`, body: '<div class=glide><div class=glide__track data-glide-el=track><ul class=glide__slides id=app></ul></div></div>', js: `import Glide from '@glidejs/glide';${slides('glide', "$('#app').innerHTML")}'<li class=glide__slide><h2>'+x.title+'</h2><p>'+x.text+'</p></li>').join('');new Glide('.glide',{perView:2}).mount()` });

// Decks.
page('impress', { d: 0, css: '.step{width:900px;transition:opacity 1s;opacity:.3}.step.active{opacity:1}', body: `<div id=impress data-transition-duration=800>${[0, 1, 2].map((i) => `<div class=step data-x=${i * 1200} data-y=0><h2>Step number ${i}</h2><p>${words('impress' + i + 'p', 30)}</p></div>`).join('')}</div><script src=/nm/impress.js/js/impress.js></script>`, js: 'impress().init()' });
page('shower', { d: 0, css: '.slide{width:900px;height:500px;border:1px solid;margin:20px;padding:20px}', body: `<div class="shower list">${[0, 1, 2, 3].map((i) => `<section class=slide id=s${i}><h2>Slide number ${i}</h2><p>${words('shower' + i + 'p', 25)}</p></section>`).join('')}</div><script src=/nm/@shower/core/dist/shower.js></script>` });

// Lists of which only the visible part exists.
page('react-window', { d: 400, jsx: true, js: `import React from 'react';import {createRoot} from 'react-dom/client';import {FixedSizeList as List} from 'react-window';${list('rw', 300)}
createRoot($('#app')).render(<List height={600} width={900} itemCount={items.length} itemSize={36}>{({index,style})=><div style={style}>{items[index].title} {items[index].text}</div>}</List>)` });
page('virtua', { d: 100, jsx: true, js: `import React from 'react';import {createRoot} from 'react-dom/client';import {WindowVirtualizer} from 'virtua';${list('virt', 200)}
createRoot($('#app')).render(<WindowVirtualizer>{items.map(x=><div key={x.id} style={{padding:12}}><h3>{x.title}</h3><p>{x.text}</p></div>)}</WindowVirtualizer>)` });
page('tanstack-virtual', { d: 400, css: '#app{height:600px;overflow:auto;position:relative}', js: `import {Virtualizer,elementScroll,observeElementOffset,observeElementRect} from '@tanstack/virtual-core';${list('tan', 500)}
const inner=put('','div');const v=new Virtualizer({count:items.length,getScrollElement:()=>$('#app'),estimateSize:()=>40,scrollToFn:elementScroll,observeElementRect,observeElementOffset,onChange:draw});
function draw(){inner.style.height=v.getTotalSize()+'px';inner.replaceChildren(...v.getVirtualItems().map(i=>{const e=document.createElement('div');e.style.cssText='position:absolute;height:40px;top:'+i.start+'px';e.textContent=items[i.index].title+' '+items[i.index].text;return e}))}v._didMount();v._willUpdate();draw()` });

// Motion: while it is scrolled, or by a clock.
page('gsap', { d: 100, css: '.box{min-height:300px}', js: `import gsap from 'gsap';import {ScrollTrigger} from 'gsap/ScrollTrigger';gsap.registerPlugin(ScrollTrigger);
for(let i=0;i<10;i++){const e=put(words('gsap'+i+'p',20),'div');e.className='box';gsap.from(e,{opacity:0,y:60,duration:.8,scrollTrigger:{trigger:e,start:'top 80%'}})}` });
page('motion', { d: 100, css: '.box{min-height:300px;opacity:0}', js: `import {animate,inView,stagger} from 'motion';
for(let i=0;i<10;i++){const e=put(words('motion'+i+'p',20),'div');e.className='box';inView(e,()=>{get(api('inview'+i,10)).then(r=>{e.append(' '+r.text);animate(e,{opacity:[0,1]},{duration:.6})})})}` });
page('motion-scroll', { d: 0, css: `@keyframes in{from{opacity:0;transform:translateY(80px)}to{opacity:1}}.box{min-height:340px;animation:in linear both;animation-timeline:view();animation-range:entry 0% cover 40%}`,
  js: `import {scroll} from 'motion';const bar=put('progress','b');scroll((p)=>{bar.style.width=100*p+'%'});for(let i=0;i<8;i++)put(words('drive'+i+'p',25),'div').className='box'` });
page('auto-animate', { d: 100, css: '.row{padding:4px}', body: '<div id=app></div>', js: `import auto from '@formkit/auto-animate';auto($('#app'));${list('row', 40)}let i=0;const t=setInterval(()=>{const x=items[i++];put(x.title+' '+x.text,'div').className='row';if(i==items.length)clearInterval(t)},130)` });
page('anime', { d: 400, js: `import {animate,stagger} from 'animejs';${list('ani', 20)}for(const x of items){const e=put(x.title+' '+x.text,'div');e.style.opacity=0}animate('#app>div',{opacity:[0,1],translateX:[-40,0],delay:stagger(150),duration:700})` });
page('scrollreveal', { d: 100, css: '.card{min-height:240px}', js: `import SR from 'scrollreveal';for(let i=0;i<12;i++)put(words('sr'+i+'p',20),'div').className='card';SR().reveal('.card',{delay:200,distance:'40px',duration:900,interval:100})` });

// Components and frameworks, with delays.
page('lit', { d: 400, body: '<x-list id=app></x-list>', js: `import {LitElement,html,css} from 'lit';class Item extends LitElement{static properties={no:{},text:{}};static styles=css\`p{animation:f .5s}@keyframes f{from{opacity:0}}\`;connectedCallback(){super.connectedCallback();get(api('item'+this.no,12)).then(r=>{this.text=r.text})}render(){return html\`<p>\${this.text??'…'}</p>\`}}customElements.define('x-item',Item);
class List extends LitElement{static properties={n:{}};connectedCallback(){super.connectedCallback();this.n=0;const t=setInterval(()=>{if(++this.n==24)clearInterval(t)},160)}render(){return html\`<h2>Items of a list</h2>\${Array.from({length:this.n},(_,i)=>html\`<x-item no=\${i}></x-item>\`)}\`}}customElements.define('x-list',List)` });
page('material-web', { d: 100, js: `import '@material/web/list/list.js';import '@material/web/list/list-item.js';import '@material/web/button/filled-button.js';import '@material/web/tabs/tabs.js';import '@material/web/tabs/primary-tab.js';
$('#app').innerHTML='<md-tabs><md-primary-tab>First tab</md-primary-tab><md-primary-tab>Second tab</md-primary-tab></md-tabs><md-filled-button>Send the letter</md-filled-button>';${list('mat', 20)}const l=put('','md-list');for(const x of items){put(x.title+' '+x.text,'md-list-item',l);await sleep(110)}` });
page('turbo', { d: 400, body: Array.from({ length: 6 }, (_, i) => `<div style="min-height:500px"><h2>Section ${i}</h2><turbo-frame id=f${i} loading=lazy src="/s/b/frame${i}.html">Loading</turbo-frame></div>`).join(''), js: `import '@hotwired/turbo'` });
for (let i = 0; i < 6; i++) fs.writeFileSync(`site/b/frame${i}.html`, `<!doctype html><turbo-frame id=f${i}>${paragraphs('turbo' + i, 3, 12)}</turbo-frame>`);
page('unpoly', { d: 400, css: `@import './node_modules/unpoly/unpoly.css';`, body: `<div id=app><div id=part up-defer up-href="/s/b/part.html">Loading</div></div><div style="height:1800px"></div><div id=low up-defer=reveal up-href="/s/b/part.html" up-target="#low:maybe, #low">Loading</div>`, js: `import 'unpoly'` });
fs.writeFileSync('site/b/part.html', `<!doctype html><div id=part>${paragraphs('unpoly', 4, 15)}</div><div id=low>${paragraphs('deep', 3, 15)}</div>`);
page('mithril', { d: 100, css: '.in{animation:in .4s both}@keyframes in{from{opacity:0;transform:translateY(10px)}}', js: `import m from 'mithril';let list=[];m.mount($('#app'),{view:()=>list.length?list.map(x=>m('div.in',{key:x.id},m('h3',x.title),m('p',x.text))):m('p','Loading')});
const all=(await get(api('mith',30,'list'))).items;(function more(){list.push(all[list.length]);m.redraw();if(list.length<all.length)setTimeout(more,140)})()` });

// The specification of an interface, and a document, that pages above show.
const paths = {};
for (let i = 0; i < 30; i++) paths[`/things${i}/{id}`] = { get: { tags: ['group' + (i % 5)], summary: `Read thing number${i}`, description: words(`describe${i}p`, 20), parameters: [{ name: 'id', in: 'path', required: true, description: words(`param${i}p`, 5), schema: { type: 'string' } }], responses: { 200: { description: words(`answer${i}p`, 6), content: { 'application/json': { schema: { type: 'object', properties: { [`field${i}`]: { type: 'string', description: words(`field${i}p`, 4) } } } } } } } } };
fs.writeFileSync('site/spec.json', JSON.stringify({ openapi: '3.0.0', info: { title: 'Things', version: '1.2', description: words('about', 40) }, paths }));
const book = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'], kids = [];
for (let i = 0; i < 9; i++) {
  const text = Array.from({ length: 20 }, (_, k) => `(${words(`leaf${i}x${k}p`, 5)}) Tj T*`).join(' ');
  const stream = `BT /F1 12 Tf 60 720 Td 24 TL ${text} ET`;
  kids.push(`${book.length + 1} 0 R`);
  book.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${book.length + 2} 0 R >>`, `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
}
book[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`;
let file = '%PDF-1.4\n';
const at = book.map((o, i) => { const n = file.length; file += `${i + 1} 0 obj\n${o}\nendobj\n`; return n; });
file += `xref\n0 ${book.length + 1}\n0000000000 65535 f \n${at.map((n) => String(n).padStart(10, '0') + ' 00000 n \n').join('')}trailer << /Size ${book.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
fs.writeFileSync('site/book.pdf', file);

// PDF.js, scalar and others come as the package has them; the rest is bundled.
for (const p of pages) {
  const options = { bundle: true, minify: true, logLevel: 'error', define: { 'process.env.NODE_ENV': '"production"' }, external: ['/nm/*'], loader: { '.svg': 'dataurl', '.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl', '.png': 'dataurl', '.gif': 'dataurl' } };
  await build({ ...options, stdin: { contents: start + p.js, resolveDir: '.', loader: p.jsx ? 'jsx' : 'js' }, format: 'esm', outfile: `site/b/${p.name}.js` });
  await build({ ...options, stdin: { contents: p.css, resolveDir: '.', loader: 'css' }, outfile: `site/b/${p.name}.css` });
  fs.writeFileSync(`site/${p.name}.html`, `<!doctype html><html lang=en><head><meta charset=utf-8><title>${p.name}</title><link rel=stylesheet href=/s/b/${p.name}.css>${p.head}</head><body><header><h1>${p.name}</h1><p>${words('head', 20)}</p></header>${p.body}<script type=module src=/s/b/${p.name}.js></script></body></html>`);
}
fs.writeFileSync('urls.txt', pages.map((p) => `http://127.0.0.1:9411/s/${p.name}.html?d=${p.d}\n`).join(''));
console.log(pages.length, 'pages');
