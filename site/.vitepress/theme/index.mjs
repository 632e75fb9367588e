import { Content, withBase } from 'vitepress';
import DefaultTheme, { VPHomeContent, VPHomeFeatures, VPHomeHero } from 'vitepress/theme';
import { h } from 'vue';
import Diagram from './Diagram.vue';
import './style.css';

// The usual front page and the usual page for a wrong address have no main landmark.
const Front = () =>
  h('main', [h(VPHomeHero), h(VPHomeFeatures), h(VPHomeContent, () => h(Content))]);
const notFound = () =>
  h('main', { class: 'not-found vp-doc' }, [
    h('h1', 'No such page'),
    h('p', [h('a', { href: withBase('/') }, 'The front page'), ' leads to all documents.']),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': notFound }),
  enhanceApp: ({ app }) => app.component('Diagram', Diagram).component('Front', Front),
};
