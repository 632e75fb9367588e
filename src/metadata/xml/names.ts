import { XmlElement } from '@rgrove/parse-xml';

/** The namespace of an element or of its attribute, declared there or in an outer element. */
export function spaceOf(element: XmlElement, name = element.name): string {
  const declares = name.includes(':') ? `xmlns:${name.replace(/:.*/, '')}` : 'xmlns';
  let ancestor: unknown = element;
  while (ancestor instanceof XmlElement && !(declares in ancestor.attributes))
    ancestor = ancestor.parent;
  return (ancestor instanceof XmlElement && ancestor.attributes[declares]) || '';
}

/** Whether the name of an element or of its attribute has a prefix that is not declared. */
export const isUndeclared = (element: XmlElement, name = element.name) =>
  /^(?!xml(ns)?:).+:/.test(name) && spaceOf(element, name) === '';

/** The names of the elements around an element, and its own. */
export function namesTo(element: XmlElement): readonly string[] {
  const { parent, name } = element;
  return parent instanceof XmlElement ? [...namesTo(parent), name] : [name];
}

/** The name of an element without the prefix of its namespace. */
export const localName = ({ name }: XmlElement) => name.replace(/^.*:/, '');

export const elementsIn = ({ children }: XmlElement) =>
  children.filter((child) => child instanceof XmlElement);

/** Descriptions may contain `<br/>`. */
export function isBreak(element: XmlElement, child: XmlElement): boolean {
  const isEmpty = child.children.length === 0 && Object.keys(child.attributes).length === 0;
  return localName(element) === 'description' && localName(child) === 'br' && isEmpty;
}
