// Made by scripts/validators.mjs.
const s = (f, o, u) => [...(f ?? []), { instancePath: o, message: u }],
  b = {
    type: 'object',
    properties: {
      profiles: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          properties: {
            'base-url': { type: 'string' },
            repository: { type: 'string' },
            mailto: { type: 'string' },
            prefix: { type: 'string' },
            'base-url-before-login': { type: 'string' },
          },
          additionalProperties: !1,
        },
      },
      stored: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            baseUrl: { type: 'string' },
            kind: { enum: ['repository', 'api-key'] },
            account: { type: 'string' },
            place: { enum: ['keychain', 'insecure-file'] },
            olderIn: { enum: ['keychain', 'insecure-file'] },
          },
          required: ['baseUrl', 'kind', 'account', 'place'],
          additionalProperties: !1,
        },
      },
    },
  };
function a(f, { instancePath: o = '', parentData: u, parentDataProperty: n, rootData: y = f } = {}) {
  let e = null,
    t = 0;
  if (f && typeof f == 'object' && !Array.isArray(f)) {
    if (f.profiles !== void 0) {
      const d = f.profiles;
      if (d && typeof d == 'object' && !Array.isArray(d))
        for (const p in d) {
          const r = d[p];
          if (r && typeof r == 'object' && !Array.isArray(r)) {
            for (const i in r)
              i === 'base-url' ||
                i === 'repository' ||
                i === 'mailto' ||
                i === 'prefix' ||
                i === 'base-url-before-login' ||
                ((e = s(
                  e,
                  o + '/profiles/' + p.replace(/~/g, '~0').replace(/\//g, '~1'),
                  'must NOT have additional properties',
                )),
                t++);
            r['base-url'] !== void 0 &&
              typeof r['base-url'] != 'string' &&
              ((e = s(
                e,
                o + '/profiles/' + p.replace(/~/g, '~0').replace(/\//g, '~1') + '/base-url',
                'must be string',
              )),
              t++),
              r.repository !== void 0 &&
                typeof r.repository != 'string' &&
                ((e = s(
                  e,
                  o + '/profiles/' + p.replace(/~/g, '~0').replace(/\//g, '~1') + '/repository',
                  'must be string',
                )),
                t++),
              r.mailto !== void 0 &&
                typeof r.mailto != 'string' &&
                ((e = s(
                  e,
                  o + '/profiles/' + p.replace(/~/g, '~0').replace(/\//g, '~1') + '/mailto',
                  'must be string',
                )),
                t++),
              r.prefix !== void 0 &&
                typeof r.prefix != 'string' &&
                ((e = s(
                  e,
                  o + '/profiles/' + p.replace(/~/g, '~0').replace(/\//g, '~1') + '/prefix',
                  'must be string',
                )),
                t++),
              r['base-url-before-login'] !== void 0 &&
                typeof r['base-url-before-login'] != 'string' &&
                ((e = s(
                  e,
                  o + '/profiles/' + p.replace(/~/g, '~0').replace(/\//g, '~1') + '/base-url-before-login',
                  'must be string',
                )),
                t++);
          } else
            (e = s(e, o + '/profiles/' + p.replace(/~/g, '~0').replace(/\//g, '~1'), 'must be object')), t++;
        }
      else (e = s(e, o + '/profiles', 'must be object')), t++;
    }
    if (f.stored !== void 0) {
      const d = f.stored;
      if (Array.isArray(d)) {
        const p = d.length;
        for (let r = 0; r < p; r++) {
          const i = d[r];
          if (i && typeof i == 'object' && !Array.isArray(i)) {
            i.baseUrl === void 0 &&
              ((e = s(e, o + '/stored/' + r, "must have required property 'baseUrl'")), t++),
              i.kind === void 0 &&
                ((e = s(e, o + '/stored/' + r, "must have required property 'kind'")), t++),
              i.account === void 0 &&
                ((e = s(e, o + '/stored/' + r, "must have required property 'account'")), t++),
              i.place === void 0 &&
                ((e = s(e, o + '/stored/' + r, "must have required property 'place'")), t++);
            for (const l in i)
              l === 'baseUrl' ||
                l === 'kind' ||
                l === 'account' ||
                l === 'place' ||
                l === 'olderIn' ||
                ((e = s(e, o + '/stored/' + r, 'must NOT have additional properties')), t++);
            if (
              (i.baseUrl !== void 0 &&
                typeof i.baseUrl != 'string' &&
                ((e = s(e, o + '/stored/' + r + '/baseUrl', 'must be string')), t++),
              i.kind !== void 0)
            ) {
              const l = i.kind;
              l === 'repository' ||
                l === 'api-key' ||
                ((e = s(e, o + '/stored/' + r + '/kind', 'must be equal to one of the allowed values')), t++);
            }
            if (
              (i.account !== void 0 &&
                typeof i.account != 'string' &&
                ((e = s(e, o + '/stored/' + r + '/account', 'must be string')), t++),
              i.place !== void 0)
            ) {
              const l = i.place;
              l === 'keychain' ||
                l === 'insecure-file' ||
                ((e = s(e, o + '/stored/' + r + '/place', 'must be equal to one of the allowed values')),
                t++);
            }
            if (i.olderIn !== void 0) {
              const l = i.olderIn;
              l === 'keychain' ||
                l === 'insecure-file' ||
                ((e = s(e, o + '/stored/' + r + '/olderIn', 'must be equal to one of the allowed values')),
                t++);
            }
          } else (e = s(e, o + '/stored/' + r, 'must be object')), t++;
        }
      } else (e = s(e, o + '/stored', 'must be array')), t++;
    }
  } else (e = s(e, o, 'must be object')), t++;
  return (a.errors = e), t === 0;
}
export { a as validate };
